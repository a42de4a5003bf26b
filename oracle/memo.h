#pragma once

// The elements of a table that have been evaluated, by offset. References stay valid as long as the memo.

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace assay::lang {

template <class Value>
class Memo {
 public:
  explicit Memo(std::int64_t size) {
    const std::int64_t pages = (size + kPage - 1) / kPage;
    if (pages <= kMostDense) dense_.resize(static_cast<std::size_t>(pages));
  }

  const Value* find(std::int64_t offset) const {
    const Page* page = page_of(offset / kPage);
    if (page == nullptr || (page->done >> (offset % kPage) & 1) == 0) return nullptr;
    return &page->values[static_cast<std::size_t>(offset % kPage)];
  }

  const Value& store(std::int64_t offset, Value&& value) {
    std::unique_ptr<Page>& page =
        dense_.empty() ? sparse_[offset / kPage] : dense_[static_cast<std::size_t>(offset / kPage)];
    if (!page) page = std::make_unique<Page>();
    page->done |= std::uint64_t{1} << (offset % kPage);
    return page->values[static_cast<std::size_t>(offset % kPage)] = std::move(value);
  }

 private:
  static constexpr std::int64_t kPage = 64;
  static constexpr std::int64_t kMostDense = std::int64_t{1} << 18;  // 16 million elements

  struct Page {
    std::uint64_t done = 0;
    std::array<Value, kPage> values{};
  };

  const Page* page_of(std::int64_t number) const {
    if (!dense_.empty()) return dense_[static_cast<std::size_t>(number)].get();
    const auto found = sparse_.find(number);
    return found == sparse_.end() ? nullptr : found->second.get();
  }

  std::vector<std::unique_ptr<Page>> dense_;
  std::unordered_map<std::int64_t, std::unique_ptr<Page>> sparse_;
};

}  // namespace assay::lang
