package org.chainwalletd.testkit.evm;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.Keccak256;

/**
 * Block and the state after it.
 *
 * @param time Unix seconds
 * @param salt sequence number among all blocks ever made, so that two blocks with the same content have different hashes
 */
public record EvmBlock(
        long number,
        Hash256 hash,
        Hash256 parent,
        long time,
        BigInteger baseFee,
        long gasUsed,
        long salt,
        List<EvmReceipt> receipts,
        World world) {
    static final long GAS_LIMIT = 30_000_000;
    static final Hash256 NO_UNCLES = Hash256.of(Keccak256.of(RlpItem.list().encode()));
    static final Hash256 EMPTY_ROOT = Hash256.of(Keccak256.of(new byte[] {(byte) 0x80}));
    static final Hash256 NO_REQUESTS = Hash256.sha256();

    static EvmBlock seal(
            long number,
            Hash256 parent,
            long time,
            BigInteger baseFee,
            long salt,
            List<EvmReceipt> receipts,
            World world) {
        long gasUsed = receipts.stream().mapToLong(EvmReceipt::gasUsed).sum();
        List<EvmReceipt> all = List.copyOf(receipts);
        Hash256 hash = commitment(List.of(number, parent, time, baseFee, salt, receipts(all), world.root()));
        return new EvmBlock(number, hash, parent, time, baseFee, gasUsed, salt, all, world);
    }

    private static List<?> receipts(List<EvmReceipt> receipts) {
        return receipts.stream()
                .map(receipt ->
                        List.of(receipt.tx().hash(), receipt.succeeded(), receipt.cumulativeGas(), receipt.bloom()))
                .toList();
    }

    private static Hash256 commitment(List<?> content) {
        return content.isEmpty()
                ? EMPTY_ROOT
                : Hash256.of(Keccak256.of(content.toString().getBytes(StandardCharsets.UTF_8)));
    }

    Hash256 mix() {
        return commitment(List.of(salt));
    }

    Hash256 stateRoot() {
        return world.root();
    }

    Hash256 transactionsRoot() {
        return commitment(receipts.stream().map(receipt -> receipt.tx().hash()).toList());
    }

    Hash256 receiptsRoot() {
        return commitment(receipts(receipts));
    }

    /** Returns the Bloom filter over addresses and topics of all log entries: 2,048 bits, three for each. */
    Bytes bloom() {
        byte[] bloom = new byte[256];
        for (EvmReceipt receipt : receipts) {
            byte[] one = receipt.bloom().toArray();
            for (int i = 0; i < bloom.length; i++) {
                bloom[i] |= one[i];
            }
        }
        return Bytes.wrap(bloom);
    }
}
