package org.chainwalletd.rpc.method.swap;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.OrNull;

/** Result records of the family. No result ever carries the secret of a swap. Times are Unix seconds. */
final class SwapResults {
    private SwapResults() {}

    record Swaps(List<SwapRecord> swaps, Optional<String> nextCursor) {}

    record PoolInfo(
            @OrNull String midPriceNativePerChain,
            @OrNull Long feeBps,
            @OrNull Long maxSwapBps,
            @OrNull String chainReserve,
            @OrNull String nativeReserve) {
        static PoolInfo of(org.chainwalletd.swap.pool.PoolInfo info) {
            return new PoolInfo(
                    plain(info.midPrice()),
                    info.feeBps().orElse(null),
                    info.maxSwapBps().orElse(null),
                    plain(info.chainReserve()),
                    plain(info.nativeReserve()));
        }

        private static String plain(Optional<BigDecimal> number) {
            return number.map(BigDecimal::toPlainString).orElse(null);
        }
    }

    record Kline(long t, String o, String h, String l, String c) {}

    record Klines(List<Kline> items) {
        static Klines of(List<org.chainwalletd.swap.pool.Kline> klines) {
            return new Klines(klines.stream()
                    .map(kline -> new Kline(
                            kline.time(),
                            kline.open().toPlainString(),
                            kline.high().toPlainString(),
                            kline.low().toPlainString(),
                            kline.close().toPlainString()))
                    .toList());
        }
    }

    record PoolAnswer(@Doc("what the pool answered") Map<String, Object> answer) {
        private static final ObjectMapper JSON = new ObjectMapper();

        static PoolAnswer of(JsonNode object) {
            return new PoolAnswer(JSON.convertValue(object, new TypeReference<LinkedHashMap<String, Object>>() {}));
        }
    }

    record KeyAddress(
            @OrNull String address,
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

    record History(
            long chainId,
            @Doc("newest first") List<SentTransaction> txs,

            @Doc("for the next page; absent on the last one")
            Optional<String> nextCursor) {}

    record SentTransaction(
            @Doc("of the version that was mined, otherwise of the newest one")
            String hash,

            @Doc("out, or self for one to the own address") String direction,
            @Doc("send, lock, claim or refund") String kind,
            String from,
            String to,
            String amountWei,

            @Doc("journalled, sent, mined, final; cancelling, cancelled; reverting, reverted; lost")
            String status,

            long createdAt,
            long updatedAt) {}
}
