#include "section.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

namespace assay::cpu {
namespace {

bool read_at(int file, void* to, std::size_t size, std::uint64_t offset) {
  return pread(file, to, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

Section find_section(int file, std::uintptr_t base) {
  Elf64_Ehdr header;
  if (!read_at(file, &header, sizeof header, 0) || header.e_shentsize != sizeof(Elf64_Shdr)) return {};
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  if (!read_at(file, sections.data(), sections.size() * sizeof(Elf64_Shdr), header.e_shoff)) return {};
  if (header.e_shstrndx >= sections.size()) return {};
  std::string names(sections[header.e_shstrndx].sh_size, '\0');
  if (!read_at(file, names.data(), names.size(), sections[header.e_shstrndx].sh_offset)) return {};
  for (const Elf64_Shdr& section : sections)
    if (section.sh_name < names.size() && std::strcmp(&names[section.sh_name], ".assay.shared") == 0)
      return {reinterpret_cast<unsigned char*>(base + section.sh_addr), section.sh_size};
  return {};
}

}  // namespace

Section shared_section(const void* function) {
  Dl_info info;
  link_map* map = nullptr;
  if (!dladdr1(function, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) || !map) return {};
  static const link_map* last_map = nullptr;
  static Section last;
  if (map == last_map) return last;
  const bool program = map->l_name[0] == '\0';
  const int file = open(program ? "/proc/self/exe" : map->l_name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  last = find_section(file, map->l_addr);
  last_map = map;
  close(file);
  return last;
}

void fill(void* begin, unsigned char value, std::size_t size) {
  asm volatile("rep stosb" : "+D"(begin), "+c"(size) : "a"(value) : "memory");
}

void copy_bytes(void* to, const void* from, std::size_t size) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

}  // namespace assay::cpu
