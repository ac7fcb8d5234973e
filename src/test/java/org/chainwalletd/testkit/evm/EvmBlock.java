package org.chainwalletd.testkit.evm;

import java.math.BigInteger;
import java.util.List;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.Keccak256;
import org.chainwalletd.evm.EvmAddress;

/**
 * A block and the state after it.
 *
 * @param time Unix seconds
 * @param salt its place in the order in which blocks were ever made, so that two blocks with one content have two hashes
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
        EvmBlock open =
                new EvmBlock(number, Hash256.ZERO, parent, time, baseFee, gasUsed, salt, List.copyOf(receipts), world);
        Hash256 hash = Hash256.of(Keccak256.of(open.header().encode()));
        return new EvmBlock(number, hash, parent, time, baseFee, gasUsed, salt, List.copyOf(receipts), world);
    }

    /** The members of a header, in their order. */
    private RlpItem header() {
        return RlpItem.list(
                text(parent),
                text(NO_UNCLES),
                RlpItem.text(new byte[EvmAddress.LENGTH]),
                text(stateRoot()),
                text(transactionsRoot()),
                text(receiptsRoot()),
                RlpItem.text(bloom().toArray()),
                RlpItem.number(0),
                RlpItem.number(number),
                RlpItem.number(GAS_LIMIT),
                RlpItem.number(gasUsed),
                RlpItem.number(time),
                RlpItem.text(new byte[0]),
                text(mix()),
                RlpItem.text(new byte[8]),
                RlpItem.number(baseFee),
                text(EMPTY_ROOT),
                RlpItem.number(0),
                RlpItem.number(0),
                text(Hash256.ZERO),
                text(NO_REQUESTS));
    }

    Hash256 mix() {
        return Hash256.of(Keccak256.of(RlpItem.number(salt).encode()));
    }

    Hash256 stateRoot() {
        return world.root();
    }

    Hash256 transactionsRoot() {
        return commitment(
                receipts.stream().map(receipt -> text(receipt.tx().hash())).toList());
    }

    Hash256 receiptsRoot() {
        return commitment(receipts.stream()
                .map(receipt -> RlpItem.list(
                        RlpItem.number(receipt.succeeded() ? 1 : 0),
                        RlpItem.number(receipt.cumulativeGas()),
                        RlpItem.text(receipt.bloom().toArray())))
                .toList());
    }

    /** The filter over addresses and topics of all log entries: 2,048 bits, three for each. */
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

    private static Hash256 commitment(List<RlpItem> items) {
        return items.isEmpty()
                ? EMPTY_ROOT
                : Hash256.of(
                        Keccak256.of(RlpItem.list(items.toArray(new RlpItem[0])).encode()));
    }

    private static RlpItem text(Hash256 hash) {
        return RlpItem.text(hash.toArray());
    }
}
