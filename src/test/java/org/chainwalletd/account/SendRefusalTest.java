package org.chainwalletd.account;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException.Refusal;
import org.chainwalletd.api.RefusedException.RetryLater;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.store.AccountSendStore;
import org.junit.jupiter.api.Test;

class SendRefusalTest {
    private static final EvmAddress FROM = EvmAddress.parse("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");

    private static final Map<String, Refusal> ALL = Map.ofEntries(
            Map.entry(
                    "insufficientBalance",
                    SendRefusal.insufficientBalance(BigInteger.TEN, BigInteger.TWO, BigInteger.ONE)),
            Map.entry("feeTooHigh", SendRefusal.feeTooHigh(BigInteger.TEN, BigInteger.TWO)),
            Map.entry("nonceGap", SendRefusal.nonceGap(FROM, 1, 2)),
            Map.entry("nonceAhead", SendRefusal.nonceAhead(FROM, "one", 2, 1)),
            Map.entry("nonceBehind", SendRefusal.nonceBehind(FROM, 2, 1)),
            Map.entry("referenceTaken", SendRefusal.referenceTaken(AccountSendStore.reference("token-1"))),
            Map.entry(
                    "referenceTakenByAnother",
                    SendRefusal.referenceTaken(ofToken("worker"), Optional.empty(), Optional.of(Hash256.ZERO))),
            Map.entry("hasCode", SendRefusal.hasCode(FROM)),
            Map.entry("oldChain", SendRefusal.oldChain()),
            Map.entry("swapsUnread", SendRefusal.swapsUnread()),
            Map.entry("tooMany", SendRefusal.tooMany(3)),
            Map.entry("wouldRevert", SendRefusal.wouldRevert("no")),
            Map.entry("notOpen", SendRefusal.notOpen("r")),
            Map.entry("notWantedAnyMore", SendRefusal.notWantedAnyMore()),
            Map.entry("shuttingDown", SendRefusal.shuttingDown()));

    private static SendRequest ofToken(String accessToken) {
        return new SendRequest(
                AccountSendStore.reference("token-1"),
                SendRequest.SendKind.SEND,
                FROM,
                FROM,
                SendRequest.SendValue.exactly(BigInteger.ONE),
                Bytes.EMPTY,
                new SendRequest.Gas.Estimated(),
                Optional.empty(),
                SendRequest.Pushing.BY_ITSELF,
                Optional.of(SendRequest.ownedBy(accessToken)));
    }

    @Test
    void every_refusal_of_a_send_has_the_error_of_the_catalogue() {
        assertThat(ALL).hasSize((int) Arrays.stream(SendRefusal.class.getDeclaredMethods())
                .filter(method -> method.getReturnType() == Refusal.class
                        && !method.getName().equals("cannotBeBuilt"))
                .count());
        for (String built : List.of(
                "feeTooHigh",
                "nonceGap",
                "nonceAhead",
                "nonceBehind",
                "hasCode",
                "oldChain",
                "wouldRevert",
                "notWantedAnyMore")) {
            assertThat(ALL.get(built).code()).as(built).isEqualTo(ErrorCode.TX_BUILD);
        }
        assertThat(ALL.get("insufficientBalance").code()).isEqualTo(ErrorCode.INSUFFICIENT_BALANCE);
        assertThat(ALL.get("insufficientBalance").data()).isEqualTo(new SendRefusal.Shortfall("10", "2", "1"));
        assertThat(ALL.get("referenceTaken").code()).isEqualTo(ErrorCode.IDEMPOTENCY_CONFLICT);
        assertThat(ALL.get("referenceTaken").data()).isEqualTo(new SendRefusal.TokenData("token-1"));
        assertThat(ALL.get("referenceTakenByAnother").code()).isEqualTo(ErrorCode.IDEMPOTENCY_CONFLICT);
        assertThat(ALL.get("referenceTakenByAnother").data())
                .isEqualTo(
                        new SendRefusal.TokenData("token-1", Optional.of("spend"), Optional.of("0x" + "0".repeat(64))));
        assertThat(SendRefusal.referenceTaken(
                                ofToken("worker"), Optional.of(SendRequest.ownedBy("other")), Optional.empty())
                        .data())
                .isEqualTo(new SendRefusal.TokenData("token-1", Optional.of("other"), Optional.empty()));
        assertThat(SendRefusal.referenceTaken(
                        ofToken("worker"), Optional.of(SendRequest.ownedBy("worker")), Optional.empty()))
                .as("the same token, with other parameters")
                .isEqualTo(ALL.get("referenceTaken"));
        assertThat(ALL.get("tooMany").code()).isEqualTo(ErrorCode.TOO_MANY_REQUESTS);
        assertThat(ALL.get("tooMany").data()).isEqualTo(new RetryLater(true, 15));
        assertThat(ALL.get("notOpen").code()).isEqualTo(ErrorCode.INVALID_PARAMS);
        assertThat(ALL.get("shuttingDown").code()).isEqualTo(ErrorCode.INTERNAL_ERROR);
    }
}
