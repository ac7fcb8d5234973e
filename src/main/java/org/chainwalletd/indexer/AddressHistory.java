package org.chainwalletd.indexer;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Who can tell what an address has received and spent. */
@FunctionalInterface
public interface AddressHistory {
    /** Knows no address. */
    AddressHistory NONE = query -> Optional.empty();

    /** Empty when the address is not one of those it knows; rows ascend by height and transaction id. */
    Optional<CompletionStage<Page<Activity>>> of(PageQuery query);
}
