package org.chainwalletd.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.api.Waiting.ListCredits;
import org.chainwalletd.api.Waiting.WaitForPayment;
import org.chainwalletd.api.Waiting.WaitForTx;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.wire.Binder;
import org.chainwalletd.wire.Json;
import org.junit.jupiter.api.Test;

class WaitingTest {
    private static final Hash256 ID = Hash256.parse("ab".repeat(32));
    private static final Address ADDRESS = Address.parse("cd".repeat(32));

    @Test
    void a_payment_has_the_id_of_its_transaction_or_null_and_a_time_out_has_none() throws IOException {
        WaitForPayment.Result paid = answered(Optional.of(TextNode.valueOf(ID.hex())));
        WaitForPayment.Result larger = answered(Optional.of(NullNode.getInstance()));
        WaitForPayment.Result timedOut = answered(Optional.empty());

        assertThat(written(paid).get("tx_id").textValue()).isEqualTo(ID.hex());
        assertThat(written(larger).get("tx_id").isNull()).isTrue();
        assertThat(written(timedOut).has("tx_id")).isFalse();
        assertThat(read(paid).payment()).contains(ID);
        assertThat(read(larger).payment()).isEmpty();
        assertThat(read(timedOut).payment()).isEmpty();
    }

    @Test
    void a_wait_is_as_long_as_was_asked_for_but_never_longer_than_ten_minutes() {
        assertThat(WaitForTx.of(ID).waits()).isEqualTo(Duration.ofSeconds(60));
        assertThat(WaitForTx.of(ID).withTimeoutSecs(0).waits()).isEqualTo(Duration.ZERO);
        assertThat(WaitForPayment.of(ADDRESS).waits()).isEqualTo(Duration.ofSeconds(60));
        assertThat(WaitForPayment.of(ADDRESS).withTimeoutSecs(601).waits()).isEqualTo(Duration.ofSeconds(600));
        assertThat(ListCredits.of().waits()).isEqualTo(Duration.ZERO);
        assertThat(ListCredits.of().withWaitSecs(-1).waits()).isEqualTo(Duration.ofSeconds(600));
    }

    private static WaitForPayment.Result answered(Optional<JsonNode> txId) {
        return new WaitForPayment.Result(
                ADDRESS,
                true,
                false,
                txId,
                Optional.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                1,
                Optional.empty());
    }

    private static WaitForPayment.Result read(WaitForPayment.Result written) throws IOException {
        return Binder.lenient(WaitForPayment.Result.class).bind(written(written));
    }

    private static JsonNode written(WaitForPayment.Result result) throws IOException {
        return new ObjectMapper()
                .readTree(Json.writerFor(WaitForPayment.Result.class).writeValueAsBytes(result));
    }
}
