package org.chainwalletd.keyring.store;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.stage.Causes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Error messages of the keyring, and the conversion of any failure to a {@link KeyringException}. */
public final class KeyringFailures {
    private static final Logger LOG = LoggerFactory.getLogger(KeyringFailures.class);

    private static final long MINT_RETRY_SECONDS = 2;

    private KeyringFailures() {}

    /** Step that reads or writes files. */
    @FunctionalInterface
    interface Io {
        void run() throws IOException;
    }

    static void io(Io step) {
        try {
            step.run();
        } catch (IOException e) {
            throw new KeyringException(Reason.STORAGE, "the keyring could not be written: " + e.getMessage());
        }
    }

    /**
     * Unwraps {@code failure}. Reports anything but a {@link KeyringException} as an internal error without its message, which might
     * contain secrets.
     */
    public static KeyringException of(Throwable failure) {
        Throwable cause = Causes.of(failure);
        return cause instanceof KeyringException refusal ? refusal : fault(cause);
    }

    private static KeyringException fault(Throwable cause) {
        Throwable where = new Throwable(cause.getClass().getName());
        where.setStackTrace(cause.getStackTrace());
        LOG.error("the keyring failed unexpectedly", where);
        return new KeyringException(
                Reason.STORAGE, "the keyring failed: " + cause.getClass().getSimpleName());
    }

    /**
     * Converts a failure after the change's record became durable; never to {@link Reason#AWAY}, which would invite the caller to repeat
     * the change.
     */
    public static KeyringException ofRest(Throwable failure) {
        KeyringException refusal = of(failure);
        return refusal.reason() == Reason.AWAY
                ? new KeyringException(
                        Reason.STORAGE,
                        "the change is durable, but its sealed keys could not be removed: " + refusal.getMessage())
                : refusal;
    }

    /**
     * Logs the failure of background work that no caller waits for.
     *
     * @param consequence effect, for the operator
     */
    public static void log(String consequence, Throwable failure) {
        LOG.warn("{}: {}", consequence, of(failure).getMessage());
    }

    /** @param value called when there is no failure */
    public static <T> void answer(CompletableFuture<T> reply, Supplier<T> value, Optional<KeyringException> failure) {
        failure.ifPresentOrElse(reply::completeExceptionally, () -> reply.complete(value.get()));
    }

    public static KeyringException unknown(Address address) {
        return new KeyringException(Reason.UNKNOWN_ADDRESS, "address not in the keyring: " + address);
    }

    public static KeyringException present(Address address) {
        return new KeyringException(Reason.ALREADY_PRESENT, "address already in the keyring: " + address);
    }

    public static KeyringException seedless() {
        return new KeyringException(
                Reason.INVALID,
                "this keyring has no seed; use generate_standard_address and reveal_address_mnemonic, or make a seeded keyring with"
                        + " init-seeded in a datadir of its own");
    }

    public static KeyringException derivedHasNoPhrase(KeyEntry entry) {
        return new KeyringException(
                Reason.INVALID,
                entry.address()
                        + " is derived from the keyring's seed and has no phrase of its own; use reveal_mnemonic, or"
                        + " reveal_private_key for this key alone");
    }

    public static KeyringException objected(Address address, String objection) {
        return new KeyringException(
                Reason.INVALID, "address " + address + " is not deleted: " + objection + " (force: true overrides)");
    }

    public static KeyringException unchecked(Throwable failure) {
        return new KeyringException(
                Reason.INVALID,
                "not deleted: whether the address still holds coins could not be checked: "
                        + of(failure).getMessage() + " (force: true overrides)");
    }

    /** Reports that listeners failed; the message must say that the keys were created and kept. */
    public static KeyringException unheard(List<KeyEntry> keys, Throwable failure) {
        LOG.error("the chain is not watched for new keys before the next start", failure);
        return new KeyringException(
                Reason.STORAGE,
                "the key of " + keys.get(0).address() + (keys.size() > 1 ? " and others were" : " was")
                        + " made and kept, but the chain is not watched for it yet; see list_addresses, and restart the daemon before it is"
                        + " used");
    }

    public static KeyringException phraseLost(String file) {
        return new KeyringException(
                Reason.LOCKED,
                "the sealed file " + file
                        + " with the phrase of this standard key is missing; restore it from a backup."
                        + " reveal_private_key still gives the secret, which no standard phrase can be made of");
    }

    public static KeyringException moving() {
        return new KeyringException(
                Reason.ALREADY_PRESENT, "the next derived address is being imported or deleted just now; try again");
    }

    public static KeyringException tooManyMints(int most) {
        return new KeyringException(
                Reason.TOO_MANY_ATTEMPTS, most + " keys are being made already; nothing was made", MINT_RETRY_SECONDS);
    }

    /**
     * Does {@code work} when its turn has come, unless nobody may have its result any more. The refusal is seen only if an intermediary lost its
     * client but still reads the answer.
     *
     * @param abandoned whether the caller has left, or its token has ended
     * @throws KeyringException {@link Reason#ABANDONED}
     */
    public static <T> T unless(BooleanSupplier abandoned, Supplier<T> work) {
        if (abandoned.getAsBoolean()) {
            throw abandoned();
        }
        return work.get();
    }

    public static KeyringException abandoned() {
        return new KeyringException(Reason.ABANDONED, "the caller left before its turn; nothing was done");
    }

    public static KeyringException changedElsewhere() {
        return new KeyringException(
                Reason.CONFLICT,
                "another daemon changed the keyring at the same time; nothing was changed here: try again");
    }

    public static KeyringException stopping() {
        return new KeyringException(Reason.STORAGE, "the keyring is shutting down");
    }
}
