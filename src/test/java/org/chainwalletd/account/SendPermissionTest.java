package org.chainwalletd.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.account.SendRecord.SendState;
import org.chainwalletd.account.SendRequest.Pushing;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.account.SendRequest.SendValue;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A daemon that was declared off while it was paused sends nothing on the account chain when it wakes. */
@Tag("long")
class SendPermissionTest {
    private static final StoreException FORGOTTEN = StoreException.stopped("it was declared off while it was paused");
    private static final StoreException AWAY =
            new StoreException(StoreException.Reason.BUSY, "cannot be reached at this moment", null);

    @TempDir
    Path folder;

    @AutoClose
    private AccountRig rig;

    private final AtomicInteger asked = new AtomicInteger();

    @BeforeEach
    void start() {
        rig = new AccountRig(folder);
    }

    private void refuse(StoreException why) {
        rig.permission = () -> {
            asked.incrementAndGet();
            return CompletableFuture.failedFuture(why);
        };
    }

    private SendRecord send(String reference, SendKind kind) {
        return AccountRig.done(
                rig.sends.send(rig.request(reference, kind, SendValue.exactly(BigInteger.ONE), Pushing.BY_ITSELF)));
    }

    @Test
    void a_journalled_payment_waits_until_the_store_lets_it_leave() {
        for (StoreException why : new StoreException[] {FORGOTTEN, AWAY}) {
            String reference = why.reason().name();
            refuse(why);
            assertThat(send(reference, SendKind.SEND).state()).isInstanceOf(SendState.Journalled.class);
            int before = asked.get();
            rig.chain.clock().advance(AccountRig.PACE.resend());
            Await.until("it was to be sent again", () -> asked.get() > before);
            assertThat(rig.chain.waiting()).isEmpty();

            rig.permission = () -> CompletableFuture.completedFuture(null);
            rig.chain.clock().advance(AccountRig.PACE.resend());
            rig.await(reference, SendState.Sent.class);
            rig.chain.mine();
        }
    }

    @Test
    void a_claim_leaves_although_the_store_is_unavailable_but_not_from_a_daemon_that_was_declared_off() {
        refuse(AWAY);
        assertThat(send("claim", SendKind.CLAIM).state()).isInstanceOf(SendState.Sent.class);
        assertThat(AccountRig.done(rig.sends.permitClaim())).isNull();

        refuse(FORGOTTEN);
        assertThat(send("another", SendKind.REFUND).state()).isInstanceOf(SendState.Journalled.class);
        assertThat(rig.chain.waiting()).hasSize(1);
        assertThatThrownBy(() -> AccountRig.done(rig.sends.permitClaim())).isSameAs(FORGOTTEN);
    }

    @Test
    void a_claim_waits_for_a_store_that_says_nothing_only_for_a_moment() {
        rig.permission = CompletableFuture::new;
        assertThat(send("claim", SendKind.CLAIM).state()).isInstanceOf(SendState.Sent.class);
    }
}
