# cmake -DOUTPUT=library.cpp -DCONTRACTS=a.contract;b.contract -P embed.cmake
# Writes a table of (name, text), one raw string literal a contract.
set(text "#include \"oracle/library.h\"\n\nnamespace assay::lang {\n\nconst std::vector<LibraryText>& library_texts() {\n")
string(APPEND text "  static const std::vector<LibraryText> texts = {\n")
foreach(path IN LISTS CONTRACTS)
  get_filename_component(name ${path} NAME_WE)
  file(READ ${path} content)
  string(APPEND text "    {\"${name}\", R\"assay(${content})assay\"},\n")
endforeach()
string(APPEND text "  };\n  return texts;\n}\n\n}  // namespace assay::lang\n")
file(WRITE ${OUTPUT} "${text}")
