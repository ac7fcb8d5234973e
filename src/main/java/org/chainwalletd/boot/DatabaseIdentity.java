package org.chainwalletd.boot;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.config.Settings;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.http.tls.TlsIdentity;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.store.postgres.PostgresAgreed;

/**
 * TLS certificate shared by the daemons of a database. The shared settings contain its fingerprint, and the certificate with its key, sealed
 * under the passphrase. A datadir without a certificate receives the shared one; a datadir with another certificate is refused, because
 * clients pin the fingerprint.
 */
final class DatabaseIdentity {
    private static final String FINGERPRINT = "tls certificate";
    private static final String SEALED = "sealed tls key";
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private DatabaseIdentity() {}

    /**
     * Opens the certificate in the datadir, after creating it if it is missing. Blocks.
     *
     * @param agreed reads the shared settings; they may be slightly outdated
     * @param agree updates the shared settings under the lock of the store
     * @param seals derives a key from the passphrase: a new one, or that of the given sealed record
     * @param names names in a new certificate
     * @throws StartupException when the database has another certificate
     */
    static TlsIdentity open(
            Settings settings,
            Supplier<PostgresAgreed> agreed,
            Consumer<UnaryOperator<Map<String, String>>> agree,
            Function<Optional<Bytes>, CompletionStage<SealedRecords>> seals,
            List<String> names)
            throws IOException {
        Path datadir = settings.datadir();
        Optional<String> others = agreed.get().value(FINGERPRINT);
        Optional<Bytes> sealed = agreed.get().value(SEALED).map(Bytes::parse);
        boolean isNew = !TlsIdentity.hasFiles(datadir);
        if (isNew && others.isPresent()) {
            Bytes blob = sealed.orElseThrow(() -> new StartupException("the daemons of the database serve with the"
                    + " certificate " + others.get()
                    + ", which the database does not have yet: start the daemon that has"
                    + " cert.pem, cert.key and cert.fingerprint, or copy these three into " + datadir));
            try (SealedRecords records = sealing(seals, sealed);
                    SecretBytes pair = Futures.await(records.open(blob), TIMEOUT, "opening the certificate's key")) {
                TlsIdentity.write(datadir, pair);
            }
        }
        TlsIdentity identity = TlsIdentity.open(datadir, settings.chain().daemonName(), names, System.err::println);
        requireSame(datadir, identity.fingerprint(), others);
        if (sealed.isEmpty()) {
            try (SealedRecords records = sealing(seals, Optional.empty());
                    SecretBytes pair = TlsIdentity.read(datadir)) {
                String blob = records.seal(pair).hex();
                String[] common = new String[1];
                agree.accept(values -> {
                    if (identity.fingerprint().equals(values.getOrDefault(FINGERPRINT, identity.fingerprint()))) {
                        values.put(FINGERPRINT, identity.fingerprint());
                        values.put(SEALED, blob);
                    }
                    common[0] = values.get(FINGERPRINT);
                    return values;
                });
                if (isNew && !common[0].equals(identity.fingerprint())) {
                    // Another daemon that is starting at the same time was first.
                    TlsIdentity.delete(datadir);
                    return open(settings, agreed, agree, seals, names);
                }
                requireSame(datadir, identity.fingerprint(), Optional.of(common[0]));
            }
        }
        return identity;
    }

    private static void requireSame(Path datadir, String fingerprint, Optional<String> others) {
        if (others.isPresent() && !others.get().equals(fingerprint)) {
            throw new StartupException("the certificate in " + datadir + " is " + fingerprint
                    + ", and the daemons of the database serve with " + others.get()
                    + ": delete cert.pem, cert.key and cert.fingerprint there to take theirs; or cluster set"
                    + " tls-certificate makes this one that of all");
        }
    }

    /**
     * Refuses a start with a certificate other than the shared one.
     *
     * @throws StartupException when the certificates of the datadir and the database differ
     */
    static void requireSame(Settings settings, PostgresAgreed agreed) throws IOException {
        Optional<String> own = TlsIdentity.fingerprintIn(settings.datadir());
        if (settings.http().tls() && own.isPresent()) {
            requireSame(settings.datadir(), own.get(), agreed.value(FINGERPRINT));
        }
    }

    /**
     * Refuses a datadir without the certificate of the database, which its daemon needs to serve.
     *
     * @throws StartupException with the remedy
     */
    static void requireHere(Settings settings, PostgresAgreed agreed) throws IOException {
        requireSame(settings, agreed);
        Path datadir = settings.datadir();
        if (settings.http().tls() && agreed.value(FINGERPRINT).isPresent() && !TlsIdentity.hasFiles(datadir)) {
            throw new StartupException("the certificate of the database is not in " + datadir
                    + ": start and stop the daemon on it once, which is given it");
        }
    }

    private static SealedRecords sealing(
            Function<Optional<Bytes>, CompletionStage<SealedRecords>> seals, Optional<Bytes> like) {
        return Futures.await(seals.apply(like), TIMEOUT, "deriving the key that seals the certificate");
    }

    /**
     * Makes the certificate of this datadir the shared one, which all daemons adopt at their next start. Blocks.
     *
     * @throws StartupException when the datadir has none
     */
    static void set(Settings settings, Consumer<UnaryOperator<Map<String, String>>> agree) throws IOException {
        Path datadir = settings.datadir();
        if (!TlsIdentity.hasFiles(datadir)) {
            throw new StartupException("there is no certificate in " + datadir
                    + " to be set: put cert.pem, cert.key and cert.fingerprint there, or start a daemon without them on"
                    + " a database without certificate, which makes them");
        }
        String fingerprint = TlsIdentity.open(datadir, settings.chain().daemonName(), List.of(), line -> {})
                .fingerprint();
        agree.accept(values -> {
            if (!fingerprint.equals(values.put(FINGERPRINT, fingerprint))) {
                values.remove(SEALED);
            }
            return values;
        });
    }
}
