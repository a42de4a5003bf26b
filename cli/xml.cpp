#include "cli/xml.h"

namespace assay::cli {

std::string xml_text(std::string_view text) {
  std::string result;
  for (char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == '&')
      result += "&amp;";
    else if (letter == '<')
      result += "&lt;";
    else if (letter == '>')
      result += "&gt;";
    else if (letter == '"')
      result += "&quot;";
    else if (letter == '\n')
      result += "&#10;";
    else
      result += byte < 0x20 || byte > 0x7e ? '?' : letter;
  }
  return result;
}

}  // namespace assay::cli
