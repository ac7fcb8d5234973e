package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code htlc_lock}: Locks coins in an HTLC that the receiver can claim with the preimage and the sender can
 * reclaim above the timeout height. With a client_token a repeated call settles the same lock and never makes a
 * second one. Needs the spend token.
 *
 * @param from sender's address, a key of this daemon: funds the lock and may reclaim it
 * @param receiver receiver's public key, not its address
 * @param hashLock SHA-256 of the preimage
 * @param timeout absolute block height above which the sender may reclaim; one that has passed is accepted
 * @param amount base units, at least 200
 * @param feeRate base units per 100 cost units; 1 is the consensus minimum and the default
 * @param fee absolute fee in base units; raised to the consensus minimum
 * @param maxFee refuse a higher fee; default 2000000
 * @param clientToken 8 to 128 printable ASCII characters; the same token never locks twice
 */
public record HtlcLock(
        String from,
        String receiver,
        String hashLock,
        BigInteger timeout,
        BigInteger amount,
        Optional<BigInteger> feeRate,
        Optional<BigInteger> fee,
        Optional<BigInteger> maxFee,
        Optional<String> clientToken)
        implements Spend<HtlcLock.Result> {
    /** With what must be there. */
    public static HtlcLock of(String from, String receiver, String hashLock, BigInteger timeout, BigInteger amount) {
        return new HtlcLock(
                from,
                receiver,
                hashLock,
                timeout,
                amount,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    public HtlcLock withFeeRate(BigInteger feeRate) {
        return new HtlcLock(from, receiver, hashLock, timeout, amount, Optional.of(feeRate), fee, maxFee, clientToken);
    }

    public HtlcLock withFee(BigInteger fee) {
        return new HtlcLock(from, receiver, hashLock, timeout, amount, feeRate, Optional.of(fee), maxFee, clientToken);
    }

    public HtlcLock withMaxFee(BigInteger maxFee) {
        return new HtlcLock(from, receiver, hashLock, timeout, amount, feeRate, fee, Optional.of(maxFee), clientToken);
    }

    public HtlcLock withClientToken(String clientToken) {
        return new HtlcLock(from, receiver, hashLock, timeout, amount, feeRate, fee, maxFee, Optional.of(clientToken));
    }

    @Override
    public String method() {
        return "htlc_lock";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("from", from);
        params.put("receiver", receiver);
        params.put("hash_lock", hashLock);
        params.put("timeout", timeout);
        params.put("amount", amount);
        feeRate.ifPresent(value -> params.put("fee_rate", value));
        fee.ifPresent(value -> params.put("fee", value));
        maxFee.ifPresent(value -> params.put("max_fee", value));
        clientToken.ifPresent(value -> params.put("client_token", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     *
     * @param htlcOutputIndex always 0; change, if any, is output 1
     * @param fee effective, with folded sub-dust change
     * @param feeRate fee * 100 / cost
     * @param builtAtHeight tip when the coins were listed
     * @param change base units that returned to `from`; absent when none did
     */
    public record Result(
            String txId,
            Long htlcOutputIndex,
            BigInteger amount,
            String hashLock,
            BigInteger timeout,
            String receiver,
            BigInteger size,
            BigInteger fee,
            BigInteger feeRate,
            BigInteger builtAtHeight,
            Optional<BigInteger> change) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("tx_id", Answer::text),
                    answer.get("htlc_output_index", Answer::int64),
                    answer.get("amount", Answer::u64),
                    answer.get("hash_lock", Answer::text),
                    answer.get("timeout", Answer::u64),
                    answer.get("receiver", Answer::text),
                    answer.get("size", Answer::u64),
                    answer.get("fee", Answer::u64),
                    answer.get("fee_rate", Answer::u64),
                    answer.get("built_at_height", Answer::u64),
                    answer.optional("change", Answer::u64));
        }
    }
}
