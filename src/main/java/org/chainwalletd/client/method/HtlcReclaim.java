package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code htlc_reclaim}: Takes an HTLC back whose timeout height the chain has passed. The output on the chain is
 * compared byte for byte with the script that the parameters describe before anything is built. Needs the spend
 * token.
 *
 * @param from sender's address, a key of this daemon; the funds return there
 * @param receiver receiver's public key
 * @param timeout the lock's timeout height
 * @param outputIndex default 0
 * @param fee absolute fee in base units, not below the consensus minimum, which is the default; what it is above
 * that counts against the spend allowance
 * @param maxFee refuse a higher fee; default 2000000
 * @param clientToken 8 to 128 printable ASCII characters; the same token never reclaims twice
 */
public record HtlcReclaim(
        String from,
        String lockTxId,
        String receiver,
        String hashLock,
        BigInteger timeout,
        Optional<Long> outputIndex,
        Optional<BigInteger> fee,
        Optional<BigInteger> maxFee,
        Optional<String> clientToken)
        implements Spend<HtlcReclaim.Result> {
    /** With what must be there. */
    public static HtlcReclaim of(String from, String lockTxId, String receiver, String hashLock, BigInteger timeout) {
        return new HtlcReclaim(
                from,
                lockTxId,
                receiver,
                hashLock,
                timeout,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    public HtlcReclaim withOutputIndex(Long outputIndex) {
        return new HtlcReclaim(
                from, lockTxId, receiver, hashLock, timeout, Optional.of(outputIndex), fee, maxFee, clientToken);
    }

    public HtlcReclaim withFee(BigInteger fee) {
        return new HtlcReclaim(
                from, lockTxId, receiver, hashLock, timeout, outputIndex, Optional.of(fee), maxFee, clientToken);
    }

    public HtlcReclaim withMaxFee(BigInteger maxFee) {
        return new HtlcReclaim(
                from, lockTxId, receiver, hashLock, timeout, outputIndex, fee, Optional.of(maxFee), clientToken);
    }

    public HtlcReclaim withClientToken(String clientToken) {
        return new HtlcReclaim(
                from, lockTxId, receiver, hashLock, timeout, outputIndex, fee, maxFee, Optional.of(clientToken));
    }

    @Override
    public String method() {
        return "htlc_reclaim";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("from", from);
        params.put("lock_tx_id", lockTxId);
        params.put("receiver", receiver);
        params.put("hash_lock", hashLock);
        params.put("timeout", timeout);
        outputIndex.ifPresent(value -> params.put("output_index", value));
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
     * @param kind `claim` or `reclaim`
     * @param value what was locked less the fee, paid to `from`
     */
    public record Result(
            String txId,
            String kind,
            BigInteger value,
            BigInteger fee,
            String lockTxId,
            Long outputIndex,
            BigInteger size) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("tx_id", Answer::text),
                    answer.get("kind", Answer::text),
                    answer.get("value", Answer::u64),
                    answer.get("fee", Answer::u64),
                    answer.get("lock_tx_id", Answer::text),
                    answer.get("output_index", Answer::int64),
                    answer.get("size", Answer::u64));
        }
    }
}
