# Functions for the scripts of this folder. Source it from bash with `set -euo pipefail`. It changes to
# the root of the checkout.
# shellcheck shell=bash disable=SC2034  # The scripts use the variables.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

default_torch=2.15.0
# The first release of each minor version.
supported_torches=(2.11.0 2.12.0 2.13.0 2.14.0 2.15.0)

# least_python TORCH: prints the minor version of the oldest Python that this torch supports.
least_python() {
  case $1 in
    2.15.*) echo 11 ;;
    *) echo 10 ;;
  esac
}

# System packages that a build needs.
build_packages=(
  g++ cmake ninja-build ccache
  protobuf-compiler libprotobuf-dev libabsl-dev libzstd-dev libxxhash-dev zlib1g-dev
  libboost-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libopen-trace-format2-dev)

# install_hint: prints how to install the equivalents of build_packages on the distribution of
# OS_RELEASE. The names come from its package lists. No build ran there.
install_hint() (
  ID='' ID_LIKE=''
  file=${OS_RELEASE:-/etc/os-release}
  # shellcheck source=/dev/null
  [[ ! -r $file ]] || source "$file"
  for id in $ID $ID_LIKE; do
    case $id in
      fedora)
        echo dnf install gcc-c++ cmake ninja-build ccache protobuf-compiler protobuf-devel \
          abseil-cpp-devel libzstd-devel xxhash-devel zlib-devel boost-devel cli11-devel \
          json-devel tomlplusplus-devel python3-devel
        return ;;
      arch)
        echo pacman -S --needed gcc cmake ninja ccache protobuf abseil-cpp zstd xxhash zlib \
          boost cli11 nlohmann-json tomlplusplus python
        return ;;
      opensuse | opensuse-*)
        echo zypper install gcc-c++ cmake ninja ccache protobuf-devel abseil-cpp-devel \
          libzstd-devel xxhash-devel zlib-devel libboost_headers-devel cli11-devel \
          nlohmann_json-devel tomlplusplus-devel python3-devel
        return ;;
      alpine) die "torch has no wheels for musl, which Alpine uses: take Debian 12, in a container" ;;
      rhel | centos) break ;; # Fedora's relatives with other package names
    esac
  done
  echo "the like of ${build_packages[*]}"
)

# use_pip_index PYTHON: passes pip's index settings to uv, which does not read them.
use_pip_index() {
  local index
  index=$("$1" -m pip config get global.index-url 2>/dev/null || true)
  [[ ! $index ]] || export UV_DEFAULT_INDEX=${UV_DEFAULT_INDEX:-$index}
}

# use_torch VERSION: sets torch, venv and build. Each version has its own Python environment and build
# folder.
use_torch() {
  torch=$1
  venv=.venv
  [[ $torch == "$default_torch" ]] || venv=.venv-$torch
  build=build/torch-$torch
}

# die MESSAGE [STATUS]: prints the message to stderr and exits with STATUS (1).
die() {
  echo "${0##*/}: $1" >&2
  exit "${2:-1}"
}

# apt_install PACKAGE...: installs missing packages. Returns false if it cannot.
apt_install() {
  local package missing=() apt=(env DEBIAN_FRONTEND=noninteractive apt-get)
  for package; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "${0##*/}: run as root: apt-get install --no-install-recommends ${missing[*]}" >&2
      return 1
    fi
    # Without a terminal sudo must not prompt for a password.
    if [[ -t 0 ]]; then apt=(sudo "${apt[@]}"); else apt=(sudo -n "${apt[@]}"); fi
  fi
  echo "${0##*/}: installing ${missing[*]}" >&2
  "${apt[@]}" -qq update >&2 || return 1
  # apt-get is verbose. In a pipe only errors matter.
  if [[ -t 1 ]]; then
    "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
  else
    "${apt[@]}" -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
  fi
}

# test_workers: prints how many tests to run at once. Tests mostly wait, so this is the number of
# processors plus one, limited by 2 GB of memory each. TEST_WORKERS overrides it.
test_workers() {
  local most
  most=$(awk '/^MemAvailable/ { print int($2 / 2000000) }' /proc/meminfo)
  local workers=$(($(nproc) + 1))
  ((workers <= most)) || workers=$((most > 1 ? most : 1))
  echo "${TEST_WORKERS:-$workers}"
}

# simulated_gpu: prints LD_PRELOAD for a simulated GPU (tests/simulated_cuda).
simulated_gpu() {
  local folder=$PWD/$build/tests/simulated_cuda libraries
  libraries=("$folder"/libcudart.so.* "$folder"/libcuda.so.1 "$folder"/libnccl.so.2)
  [[ -e ${libraries[-1]} ]] || die "there is no simulated GPU in $folder: scripts/setup builds it"
  (IFS=: && echo "${libraries[*]}")
}

# parse_torch_option USAGE "$@": parses [--torch VERSION] and --help.
parse_torch_option() {
  local usage=$1
  shift
  use_torch "$default_torch"
  while (($#)); do
    case $1 in
      --torch)
        [[ ${2-} =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] ||
          die "--torch needs a version, such as --torch $default_torch" 2
        use_torch "$2"
        shift 2
        ;;
      -h | --help)
        echo "$usage"
        exit
        ;;
      *) die "unknown option '$1'; usage: $usage" 2 ;;
    esac
  done
}
