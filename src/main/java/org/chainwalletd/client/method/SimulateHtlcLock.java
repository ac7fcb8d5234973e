package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code simulate_htlc_lock}: Selects and prices a lock as it would be made now. Broadcasts and reserves nothing;
 * takes no client_token. Needs the read token.
 *
 * @param from sender's address, a key of this daemon: funds the lock and may reclaim it
 * @param receiver receiver's public key, not its address
 * @param hashLock SHA-256 of the preimage
 * @param timeout absolute block height above which the sender may reclaim; one that has passed is accepted
 * @param amount base units, at least 200
 * @param feeRate base units per 100 cost units; 1 is the consensus minimum and the default
 * @param fee absolute fee in base units; raised to the consensus minimum
 * @param maxFee refuse a higher fee; default 2000000
 */
public record SimulateHtlcLock(
        String from,
        String receiver,
        String hashLock,
        BigInteger timeout,
        BigInteger amount,
        Optional<BigInteger> feeRate,
        Optional<BigInteger> fee,
        Optional<BigInteger> maxFee)
        implements Call<SimulateHtlcLock.Result> {
    /** With what must be there. */
    public static SimulateHtlcLock of(
            String from, String receiver, String hashLock, BigInteger timeout, BigInteger amount) {
        return new SimulateHtlcLock(
                from, receiver, hashLock, timeout, amount, Optional.empty(), Optional.empty(), Optional.empty());
    }

    public SimulateHtlcLock withFeeRate(BigInteger feeRate) {
        return new SimulateHtlcLock(from, receiver, hashLock, timeout, amount, Optional.of(feeRate), fee, maxFee);
    }

    public SimulateHtlcLock withFee(BigInteger fee) {
        return new SimulateHtlcLock(from, receiver, hashLock, timeout, amount, feeRate, Optional.of(fee), maxFee);
    }

    public SimulateHtlcLock withMaxFee(BigInteger maxFee) {
        return new SimulateHtlcLock(from, receiver, hashLock, timeout, amount, feeRate, fee, Optional.of(maxFee));
    }

    @Override
    public String method() {
        return "simulate_htlc_lock";
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
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     *
     * @param fee effective, with folded sub-dust change
     * @param feeRate fee * 100 / cost
     * @param htlcOutputIndex always 0; change, if any, is output 1
     * @param totalIn amount + change + fee
     * @param change 0 if none
     * @param builtAtHeight tip when the coins were listed
     */
    public record Result(
            BigInteger size,
            BigInteger fee,
            BigInteger feeRate,
            Long htlcOutputIndex,
            BigInteger amount,
            String hashLock,
            BigInteger timeout,
            String receiver,
            BigInteger totalIn,
            BigInteger change,
            BigInteger builtAtHeight) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("size", Answer::u64),
                    answer.get("fee", Answer::u64),
                    answer.get("fee_rate", Answer::u64),
                    answer.get("htlc_output_index", Answer::int64),
                    answer.get("amount", Answer::u64),
                    answer.get("hash_lock", Answer::text),
                    answer.get("timeout", Answer::u64),
                    answer.get("receiver", Answer::text),
                    answer.get("total_in", Answer::u64),
                    answer.get("change", Answer::u64),
                    answer.get("built_at_height", Answer::u64));
        }
    }
}
