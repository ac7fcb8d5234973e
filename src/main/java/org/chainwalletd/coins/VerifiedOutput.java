package org.chainwalletd.coins;

import java.util.Objects;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.TxOutput;

/**
 * What an output holds and what locks it, read from the bytes of its transaction. Whether it is in a block, or spent, is not said.
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
