package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.secret;
import static org.chainwalletd.keyring.KeyringFixture.text;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.crypto.SealedBlob.UnsealException;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.keyring.store.Sealer;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SealedRecordsTest {
    @TempDir
    Path folder;

    @Test
    void a_keyring_opens_what_it_sealed_before_its_restart() throws Exception {
        Bytes sealed;
        try (KeyringFixture fixture = new KeyringFixture(folder)) {
            sealed = await(fixture.open().swapJournal(Optional.empty())).seal(secret("a row"));
        }
        try (KeyringFixture fixture = new KeyringFixture(folder)) {
            SealedRecords again = await(fixture.open().swapJournal(Optional.of(sealed)));
            assertThat(text(await(again.open(sealed)))).isEqualTo("a row");
            Bytes next = again.seal(secret("a row"));
            assertThat(next).isNotEqualTo(sealed);
            assertThat(SealedBlob.parse(next.toArray()).salt())
                    .isEqualTo(SealedBlob.parse(sealed.toArray()).salt());
        }
    }

    @Test
    void a_key_that_is_still_being_derived_at_the_close_is_overwritten_too() {
        Bytes sealed = TestSeals.of(Optional.empty()).seal(secret("a row"));
        SecretBytes own = secret("1".repeat(32));
        SecretBytes late = secret("2".repeat(32));
        CompletableFuture<SecretBytes> underWay = new CompletableFuture<>();
        Iterator<CompletableFuture<SecretBytes>> derived =
                List.of(CompletableFuture.completedFuture(own), underWay).iterator();
        SealedRecords records = await(SealedRecords.open(
                new byte[1], new SecureRandom(), Optional.empty(), salt -> derived.next(), Runnable::run));
        records.open(sealed);

        records.close();
        assertThat(own.isClosed()).isTrue();
        underWay.complete(late);
        assertThat(late.isClosed()).isTrue();
    }

    @Test
    void no_other_role_and_no_changed_byte_is_opened() {
        SealedRecords records = TestSeals.of(Optional.empty());
        byte[] changed = records.seal(secret("a row")).toArray();
        changed[changed.length - 1] ^= 1;
        assertThatThrownBy(() -> Await.result(records.open(Bytes.wrap(changed))))
                .hasCauseInstanceOf(UnsealException.class);
        Sealer sealer = new Sealer(KeyringFixture.CHAIN, KeyringFixture.CHEAP, new SecureRandom());
        Bytes other = Bytes.wrap(sealer.seal(Sealer.Role.IMPORTED, secret("phrase"), secret("a row"))
                .toBytes());
        assertThatThrownBy(() -> Await.result(records.open(other))).hasCauseInstanceOf(UnsealException.class);
    }
}
