#include "oracle/gdn/recurrence.h"

namespace assay::gdn {

template Results evaluate<double>(const Problem& problem);

}  // namespace assay::gdn
