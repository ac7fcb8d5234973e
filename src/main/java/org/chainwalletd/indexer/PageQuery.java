package org.chainwalletd.indexer;

import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;

/**
 * A question about an address that is answered in pages.
 *
 * @param contract only rows of this contract; not for every question
 * @param since only rows of this height and above
 * @param limit most rows of a page
 * @param cursor of the page before
 */
public record PageQuery(
        Address address, Optional<Hash256> contract, OptionalLong since, int limit, Optional<String> cursor) {}
