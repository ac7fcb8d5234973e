package org.chainwalletd.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.account.AccountRig.done;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.account.SendRequest.Gas;
import org.chainwalletd.account.SendRequest.Pushing;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.testkit.Copies;
import org.chainwalletd.testkit.Traces;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The call data of a claim is readable in no file, and is never accepted for another transaction. */
class SealedSendsTest {
    private static final Bytes SECRET = Bytes.parse("5ec2e7".repeat(10) + "5ec2");

    @TempDir
    Path folder;

    private final Traces traces = new Traces().bytes("secret", SECRET.toArray());

    @AutoClose
    private AccountRig rig;

    @BeforeEach
    void start() {
        rig = new AccountRig(folder);
    }

    private SendRequest claim(String reference) {
        return Copies.with(
                rig.call(
                        reference,
                        SendKind.CLAIM,
                        BigInteger.ZERO,
                        SwapContract.claim(SECRET.toArray()),
                        new Gas.Fixed(120_000)),
                "pushing",
                Pushing.URGENTLY,
                "owner",
                Optional.of("a-swap"));
    }

    @Test
    void the_secret_of_a_claim_and_its_signed_bytes_stand_in_no_file() throws IOException {
        SendRecord sent = done(rig.sends.send(claim("claim-in-a-file")));
        done(rig.sends.raise("claim-in-a-file"));
        AccountSend row = done(rig.journal.find("claim-in-a-file")).orElseThrow();
        assertThat(row.newest().raw().hex()).contains(SECRET.hex());
        byte[] signature = row.newest()
                .raw()
                .slice(row.newest().raw().length() - 32, row.newest().raw().length());

        assertThat(new Traces().text("request", sent.reference()).under(folder)).isNotEmpty();
        assertThat(traces.bytes("signature", signature).under(folder)).isEmpty();
        rig.kill();
        assertThat(traces.under(folder)).isEmpty();
        rig.start();
    }

    @Test
    void no_text_of_a_request_or_a_row_has_the_secret() {
        SendRequest request = claim("claim");
        SendRecord sent = done(rig.sends.send(request));
        AccountSend row = done(rig.journal.find("claim")).orElseThrow();

        assertThat(List.of(
                        request.toString(),
                        sent.toString(),
                        row.toString(),
                        row.versions().toString()))
                .noneMatch(text -> text.contains(SECRET.hex())
                        || text.contains(row.newest().raw().hex()));
    }

    @Test
    void sealed_bytes_are_sent_again_after_a_restart() {
        SendRecord sent = done(rig.sends.send(claim("claim")));
        rig.chain.forgetAll();
        rig.crash();

        assertThat(done(rig.sends.push("claim")).hash()).isEqualTo(sent.hash());
        assertThat(rig.chain.waiting()).hasSize(1);
    }

    @Test
    void rows_of_a_release_that_did_not_seal_are_sealed_at_the_start_and_continue() throws Exception {
        SendRecord sent = done(rig.sends.send(claim("claim")));
        AccountSend plain = done(rig.journal.find("claim")).orElseThrow();
        rig.kill();
        try (SqliteStore store = SqliteStore.open(folder)) {
            done(store.accountSends().seal(plain));
        }
        onDisk("UPDATE account_sends SET sealed = 0");
        assertThat(traces.under(folder)).isNotEmpty();

        rig.start();

        assertThat(done(rig.journal.unsealed(9))).isEmpty();
        rig.crash();
        assertThat(traces.under(folder)).isEmpty();
        assertThat(done(rig.sends.push("claim")).hash()).isEqualTo(sent.hash());
        assertThat(done(rig.journal.find("claim")).orElseThrow().call().data())
                .isEqualTo(plain.call().data());
    }

    @Test
    void what_is_sealed_of_one_row_is_not_believed_under_another() throws Exception {
        done(rig.sends.send(claim("claim")));
        rig.send("payment", 7);
        rig.kill();
        onDisk("UPDATE account_sends SET data = (SELECT data FROM account_sends WHERE reference = 'claim')");
        rig.store = SqliteStore.open(folder);
        SealedSends journal = AccountRig.sealed(rig.store.accountSends(), rig.executor);

        assertThat(done(journal.find("claim"))).isPresent();
        assertThatThrownBy(() -> done(journal.find("payment"))).hasMessageContaining("payment");
    }

    private void onDisk(String statement) throws SQLException {
        try (Connection connection =
                        DriverManager.getConnection("jdbc:sqlite:" + folder.resolve(SqliteStore.FILE_NAME));
                Statement sql = connection.createStatement()) {
            sql.execute(statement);
        }
    }
}
