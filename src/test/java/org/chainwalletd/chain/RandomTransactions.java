package org.chainwalletd.chain;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Transactions of every shape that the encoding allows, small ones mostly, reproducible from a seed. */
final class RandomTransactions {
    private final Random random;

    RandomTransactions(Random random) {
        this.random = random;
    }

    Transaction any() {
        List<Outpoint> inputs = new ArrayList<>();
        List<Witness> witnesses = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            inputs.add(outpoint());
            witnesses.add(new Witness(bytes(150, 65_535), random.nextInt(4) == 0 ? bytes(40, 16_384) : null));
        }
        List<TxOutput> outputs = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            outputs.add(output());
        }
        return new Transaction(inputs, outputs, witnesses);
    }

    Outpoint outpoint() {
        return new Outpoint(hash(), random.nextInt() & 0xffff_ffffL);
    }

    TxOutput output() {
        Bytes script = switch (random.nextInt(4)) {
            case 0 -> HtlcScript.build(htlc());
            case 1 -> bytes(60, 65_535);
            default -> Bytes.wrap(hash().toArray());
        };
        return new TxOutput(
                Amount.ofUnsigned(random.nextLong()),
                script,
                random.nextInt(3) == 0 ? bytes(80, 4_096) : null,
                random.nextInt(3) == 0 ? hash() : null);
    }

    HtlcParams htlc() {
        return new HtlcParams(
                PublicKey.of(hash().toArray()), PublicKey.of(hash().toArray()), hash(), random.nextLong());
    }

    Hash256 hash() {
        byte[] bytes = new byte[32];
        random.nextBytes(bytes);
        return Hash256.of(bytes);
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    /** Mostly below {@code usual}, now and then the limit itself. */
    Bytes bytes(int usual, int limit) {
        byte[] bytes = new byte[random.nextInt(50) == 0 ? limit : random.nextInt(usual)];
        random.nextBytes(bytes);
        return Bytes.wrap(bytes);
    }
}
