package org.chainwalletd.rpc.method.swap;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.rpc.Doc;

/** Result records of the family. No result ever carries the secret of a swap. Times are Unix seconds. */
final class SwapResults {
    private SwapResults() {}

    record SwapRecord(
            String swapId,
            String poolSwapId,
            SwapParams.Direction direction,
            String status,
            Hash256 hashlock,
            String amountIn,
            String amountOut,
            String amountInUnits,
            String amountOutUnits,
            String htlcContract,
            Address ourChainAddress,
            String ourEvmAddress,
            Optional<PublicKey> poolChainPubkey,
            Optional<String> poolEvmAddress,
            OptionalLong chainTimeoutHeight,
            OptionalLong evmTimeoutSec,
            Optional<String> userLockTx,
            Optional<String> poolLockRef,
            Optional<String> claimTx,
            Optional<String> refundTx,
            long expiresAt,
            long feeBps,
            Optional<String> networkFeeNative,
            Optional<String> error,
            long createdAt,
            long updatedAt) {}

    record Swaps(List<SwapRecord> swaps, Optional<String> nextCursor) {}

    record PoolInfo(
            @JsonInclude(JsonInclude.Include.ALWAYS) String midPriceNativePerChain,
            @JsonInclude(JsonInclude.Include.ALWAYS) Long feeBps,
            @JsonInclude(JsonInclude.Include.ALWAYS) Long maxSwapBps,
            @JsonInclude(JsonInclude.Include.ALWAYS) String chainReserve,
            @JsonInclude(JsonInclude.Include.ALWAYS) String nativeReserve) {}

    record Kline(long t, String o, String h, String l, String c) {}

    record Klines(List<Kline> items) {}

    record PoolAnswer(@Doc("what the pool answered") Map<String, Object> answer) {}

    record KeyAddress(
            @JsonInclude(JsonInclude.Include.ALWAYS) String address,
            @Doc("whether there is a key") boolean created) {}

    record NewKey(String address, List<SecretBytes> mnemonic) {}

    record Imported(String address) {}

    record Phrase(List<SecretBytes> mnemonic) {}

    record Secret(String address, SecretBytes privateKeyHex) {}

    record Deleted(String deleted) {}

    record Balances(
            String address,
            String nativeWei,
            @Doc("kept for open swaps") String gasReserveWei,
            List<Token> tokens) {}

    record Token(String address, String symbol, long decimals, String balance) {}

    record Sent(String txhash) {}

    record History(long chainId, List<SentTransaction> txs) {}

    record SentTransaction(
            String hash,
            String direction,
            @Doc("send, lock, claim or refund") String kind,
            String from,
            String to,
            String amountWei,
            String status,
            long createdAt,
            long updatedAt) {}
}
