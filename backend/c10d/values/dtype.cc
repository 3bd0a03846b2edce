#include "c10d/values/dtype.h"

namespace traced {

DType toDType(at::ScalarType type) {
  switch (type) {
    case at::kByte:
      return DType::kUint8;
    case at::kChar:
      return DType::kInt8;
    case at::kShort:
      return DType::kInt16;
    case at::kInt:
      return DType::kInt32;
    case at::kLong:
      return DType::kInt64;
    case at::kUInt16:
      return DType::kUint16;
    case at::kUInt32:
      return DType::kUint32;
    case at::kUInt64:
      return DType::kUint64;
    case at::kHalf:
      return DType::kFloat16;
    case at::kBFloat16:
      return DType::kBFloat16;
    case at::kFloat:
      return DType::kFloat32;
    case at::kDouble:
      return DType::kFloat64;
    case at::kComplexHalf:
      return DType::kComplex32;
    case at::kComplexFloat:
      return DType::kComplex64;
    case at::kComplexDouble:
      return DType::kComplex128;
    case at::kBool:
      return DType::kBool;
    case at::kFloat8_e4m3fn:
      return DType::kFloat8E4M3FN;
    case at::kFloat8_e5m2:
      return DType::kFloat8E5M2;
    case at::kFloat8_e4m3fnuz:
      return DType::kFloat8E4M3FNUZ;
    case at::kFloat8_e5m2fnuz:
      return DType::kFloat8E5M2FNUZ;
    case at::kFloat8_e8m0fnu:
      return DType::kFloat8E8M0FNU;
    case at::kFloat4_e2m1fn_x2:
      return DType::kFloat4E2M1FNX2;
    case at::kQUInt8:
      return DType::kQuint8;
    case at::kQInt8:
      return DType::kQint8;
    case at::kQInt32:
      return DType::kQint32;
    default:
      return DType::kOther;
  }
}

}  // namespace traced
