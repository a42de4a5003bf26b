#pragma once

// The elements of a table that have been evaluated, by offset. References stay valid as long as the memo.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
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
    const auto slot = static_cast<std::size_t>(offset % kPage);
    return page == nullptr || (page->done >> slot & 1) == 0 ? nullptr : page->at(slot);
  }

  const Value& store(std::int64_t offset, Value&& value) {
    std::unique_ptr<Page>& page =
        dense_.empty() ? sparse_[offset / kPage] : dense_[static_cast<std::size_t>(offset / kPage)];
    if (!page) page = std::make_unique<Page>();
    return page->store(static_cast<std::size_t>(offset % kPage), std::move(value));
  }

 private:
  static constexpr std::int64_t kPage = 64;
  static constexpr std::int64_t kMostDense = std::int64_t{1} << 18;  // 16 million elements

  // Values are constructed one by one: those of some algebras allocate.
  struct Page {
    std::uint64_t done = 0;
    alignas(Value) std::byte storage[static_cast<std::size_t>(kPage) * sizeof(Value)];

    Page() {}  // leaves `storage` as it is
    Page(const Page&) = delete;
    Page& operator=(const Page&) = delete;
    ~Page() {
      for (std::size_t slot = 0; slot < kPage; ++slot) {
        if (done >> slot & 1) at(slot)->~Value();
      }
    }

    Value* at(std::size_t slot) {
      return std::launder(reinterpret_cast<Value*>(storage + slot * sizeof(Value)));
    }
    const Value* at(std::size_t slot) const {
      return std::launder(reinterpret_cast<const Value*>(storage + slot * sizeof(Value)));
    }
    const Value& store(std::size_t slot, Value&& value) {
      if (done >> slot & 1) return *at(slot) = std::move(value);
      const Value& stored = *new (storage + slot * sizeof(Value)) Value(std::move(value));
      done |= std::uint64_t{1} << slot;
      return stored;
    }
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
