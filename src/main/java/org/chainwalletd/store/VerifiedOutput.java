package org.chainwalletd.store;

import java.util.Objects;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.TxOutput;

/**
 * Value and script of an output, read from the bytes of its transaction. Says nothing about whether it is in a block, or spent.
 *
 * @param script exactly 32 bytes mean an address
 */
public record VerifiedOutput(Amount value, Bytes script) {
    public VerifiedOutput {
        Objects.requireNonNull(value, "value");
        Objects.requireNonNull(script, "script");
    }

    public static VerifiedOutput of(TxOutput output) {
        return new VerifiedOutput(output.value(), output.script());
    }
}
