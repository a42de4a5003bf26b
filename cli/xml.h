#pragma once

#include <string>
#include <string_view>

namespace assay::cli {

// Text inside of an XML 1.0 attribute or element, which has no control characters; what a kernel prints may
// be no UTF-8.
std::string xml_text(std::string_view text);

}  // namespace assay::cli
