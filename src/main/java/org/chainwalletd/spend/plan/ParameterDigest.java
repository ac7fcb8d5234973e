package org.chainwalletd.spend.plan;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.chainwalletd.chain.Hash256;

/**
 * Digest that an idempotency token is bound to: a hash of the meaning of a spend's parameters, independent of their notation. Byte strings
 * are length-prefixed and numbers have eight bytes, so no two lists of parameters have the same input. The digests are stored with the
 * tokens: the order of the calls must never change for an existing kind.
 */
public final class ParameterDigest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /**
     * @param kind name of the method, so that two methods never share a digest
     */
    public ParameterDigest(String kind) {
        put(kind.getBytes(StandardCharsets.US_ASCII));
    }

    public ParameterDigest put(byte[] bytes) {
        putNumber(bytes.length);
        out.writeBytes(bytes);
        return this;
    }

    public ParameterDigest putNumber(long number) {
        out.writeBytes(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
        return this;
    }

    public ParameterDigest put(FeeChoice fee) {
        return fee instanceof FeeChoice.Fixed fixed
                ? put("fee".getBytes(StandardCharsets.US_ASCII))
                        .putNumber(fixed.fee().bits())
                : put("rate".getBytes(StandardCharsets.US_ASCII)).putNumber(((FeeChoice.Rate) fee).rate());
    }

    public Hash256 finish() {
        return Hash256.sha256(out.toByteArray());
    }
}
