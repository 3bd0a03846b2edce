#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "cli/common/help.h"

namespace traced {
namespace {

struct Choice {
  std::string name;  // "--by", "-o", "report"
  std::string description;
  bool takes_value = false;
  // Allowed values; empty means file names.
  std::vector<std::string> values;
};

struct Completed {
  Choice verb;
  std::vector<Choice> options;
  bool takes_files = false;
  // Completions offered instead of files.
  std::vector<std::string> words;
};

std::vector<Choice> optionsOf(const CLI::App& app) {
  std::vector<Choice> choices;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->nonpositional()) continue;
    const bool takes_value = option->get_items_expected_max() > 0;
    for (const std::string& name : option->get_lnames()) {
      choices.push_back({"--" + name, option->get_description(), takes_value,
                         allowedValues(*option)});
    }
    for (const std::string& name : option->get_snames()) {
      choices.push_back({"-" + name, option->get_description(), takes_value,
                         allowedValues(*option)});
    }
  }
  return choices;
}

std::vector<Completed> verbsOf(const CLI::App& app) {
  std::vector<Completed> verbs;
  for (const CLI::App* verb : app.get_subcommands(nullptr)) {
    if (verb->get_group().empty()) continue;
    Completed completed{{verb->get_name(), verb->get_description(), false, {}},
                        optionsOf(*verb),
                        false,
                        {}};
    for (const CLI::Option* option : verb->get_options()) {
      if (!option->get_positional()) continue;
      completed.words = allowedValues(*option);
      completed.takes_files = completed.words.empty();
    }
    verbs.push_back(std::move(completed));
  }
  return verbs;
}

std::string namesOf(const std::vector<Choice>& choices) {
  return absl::StrJoin(choices, " ", [](std::string* out, const Choice& one) {
    absl::StrAppend(out, one.name);
  });
}

// Removes characters that would end a single-quoted string in any of the
// shells.
std::string quotable(const std::string& text) {
  return absl::StrReplaceAll(text, {{"'", ""}, {"\\", ""}, {"\n", " "}});
}

std::string bashScript(const CLI::App& app) {
  const std::vector<Completed> verbs = verbsOf(app);
  std::string cases;
  std::string values;
  for (const Completed& verb : verbs) {
    absl::StrAppend(&cases, "    ", verb.verb.name, ") options='",
                    namesOf(verb.options), "' words='",
                    absl::StrJoin(verb.words, " "), "' ;;\n");
    for (const Choice& option : verb.options) {
      if (!option.takes_value) continue;
      absl::StrAppend(&values, "    '", verb.verb.name, " ", option.name,
                      "') values='", absl::StrJoin(option.values, " "),
                      "' takes_value=1 ;;\n");
    }
  }
  return absl::StrCat(
      "# bash completion of tracectl: source <(tracectl completion bash)\n"
      "_tracectl() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]}\n"
      "  local previous=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local verb=${COMP_WORDS[1]} options='' words='' values=''"
      " takes_value=''\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '",
      absl::StrJoin(verbNames(app), " "), " ", namesOf(optionsOf(app)),
      "' -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case $verb in\n",
      cases,
      "  esac\n"
      "  case \"$verb $previous\" in\n",
      values,
      "  esac\n"
      "  local list='' before=''\n"
      "  if [[ $takes_value ]]; then\n"
      "    list=$values\n"
      "    # Of a list behind commas the last part.\n"
      "    if [[ $values && $current == *,* ]]; then\n"
      "      before=${current%,*},\n"
      "      current=${current##*,}\n"
      "    fi\n"
      "  elif [[ $current == -* ]]; then\n"
      "    list=$options\n"
      "  else\n"
      "    list=$words\n"
      "  fi\n"
      "  COMPREPLY=($(compgen -P \"$before\" -W \"$list\" -- \"$current\"))\n"
      "  if [[ ! $list ]]; then\n"
      "    compopt -o filenames 2>/dev/null\n"
      "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
      "  fi\n"
      "}\n"
      "complete -F _tracectl tracectl\n");
}

// Escapes one argument of _arguments. A colon ends a field of it, a bracket the
// description.
std::string zshText(const std::string& text) {
  return absl::StrReplaceAll(quotable(text),
                             {{":", "\\:"}, {"[", "\\["}, {"]", "\\]"}});
}

// Returns the value part of an _arguments entry; "" for a flag.
std::string zshValue(const Choice& option) {
  if (!option.takes_value) return "";
  return option.values.empty()
             ? ":value:_files"
             : absl::StrCat(":value:_sequence compadd - ",
                            absl::StrJoin(option.values, " "));
}

std::string zshScript(const CLI::App& app) {
  std::string script =
      "#compdef tracectl\n"
      "# zsh completion of tracectl: source <(tracectl completion zsh)\n"
      "_tracectl() {\n"
      "  local -a verbs\n"
      "  verbs=(\n";
  const std::vector<Completed> verbs = verbsOf(app);
  for (const Completed& verb : verbs) {
    absl::StrAppend(&script, "    '", verb.verb.name, ":",
                    zshText(verb.verb.description), "'\n");
  }
  absl::StrAppend(&script,
                  "  )\n"
                  "  if ((CURRENT == 2)); then\n"
                  "    _describe verb verbs\n"
                  "    return\n"
                  "  fi\n"
                  "  local verb=$words[2]\n"
                  "  shift words\n"
                  "  ((CURRENT--))\n"
                  "  case $verb in\n");
  for (const Completed& verb : verbs) {
    absl::StrAppend(&script, "    ", verb.verb.name, ")\n      _arguments");
    for (const Choice& option : verb.options) {
      absl::StrAppend(&script, " \\\n        '*", option.name, "[",
                      zshText(option.description), "]", zshValue(option), "'");
    }
    if (verb.takes_files) {
      absl::StrAppend(&script, " \\\n        '*:input:_files'");
    } else if (!verb.words.empty()) {
      absl::StrAppend(&script, " \\\n        '*:word:(",
                      absl::StrJoin(verb.words, " "), ")'");
    }
    absl::StrAppend(&script, "\n      ;;\n");
  }
  absl::StrAppend(&script,
                  "  esac\n"
                  "}\n"
                  "if [[ $funcstack[1] == _tracectl ]]; then\n"
                  "  _tracectl \"$@\"\n"
                  "else\n"
                  "  compdef _tracectl tracectl\n"
                  "fi\n");
  return script;
}

std::string fishScript(const CLI::App& app) {
  std::string script =
      "# fish completion of tracectl: tracectl completion fish | source\n";
  const std::vector<Completed> verbs = verbsOf(app);
  for (const Completed& verb : verbs) {
    absl::StrAppend(&script, "complete -c tracectl -f -n __fish_use_subcommand",
                    " -a ", verb.verb.name, " -d '",
                    quotable(verb.verb.description), "'\n");
  }
  for (const Completed& verb : verbs) {
    const std::string here =
        absl::StrCat("complete -c tracectl -n '__fish_seen_subcommand_from ",
                     verb.verb.name, "'");
    if (!verb.words.empty()) {
      absl::StrAppend(&script, here, " -f -a '", absl::StrJoin(verb.words, " "),
                      "'\n");
    }
    for (const Choice& option : verb.options) {
      const bool is_long = option.name.starts_with("--");
      absl::StrAppend(&script, here, is_long ? " -l " : " -s ",
                      option.name.substr(is_long ? 2 : 1));
      if (option.takes_value) absl::StrAppend(&script, " -r");
      if (!option.values.empty()) {
        absl::StrAppend(&script, " -f -a '", absl::StrJoin(option.values, " "),
                        "'");
      }
      absl::StrAppend(&script, " -d '", quotable(option.description), "'\n");
    }
  }
  return script;
}

}  // namespace

std::optional<std::string> completionScript(const CLI::App& app,
                                            const std::string& shell) {
  if (shell == "bash") return bashScript(app);
  if (shell == "zsh") return zshScript(app);
  if (shell == "fish") return fishScript(app);
  return std::nullopt;
}

}  // namespace traced
