package org.chainwalletd.coins;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Outpoint;

/**
 * Source of outputs that needs no node: followed blocks, our own intents. Its answers were read from the bytes of a transaction whose id was computed
 * from them, here or when they were recorded; a listing is no source.
 */
@FunctionalInterface
public interface OutputSource {
    /**
     * @return those of {@code wanted} that are known, many in one go; a stage that fails is a source that knows nothing now
     */
    CompletionStage<Map<Outpoint, VerifiedOutput>> find(Set<Outpoint> wanted);
}
