package org.chainwalletd.keyring;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentMap;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.SigningKey;
import org.chainwalletd.keyring.KeyringProtocol.Question;
import org.chainwalletd.keyring.store.KeyringException;

/** The secrets that were unsealed, and who waits for one that is being unsealed. Belongs to the Keyring actor. */
final class UnsealedKeys {
    private final ConcurrentMap<Address, SigningKey> keys;
    private final Map<Address, List<Question>> waitingForKey = new HashMap<>();
    private final List<Question> waitingForSeed = new ArrayList<>();
    private Optional<SecretBytes> seed = Optional.empty();

    /**
     * @param keys written here alone; others only sign with what they find there, which may be closed at any time
     */
    UnsealedKeys(ConcurrentMap<Address, SigningKey> keys) {
        this.keys = keys;
    }

    /** Empty when it is sealed. */
    Optional<SigningKey> key(Address address) {
        return Optional.ofNullable(keys.get(address));
    }

    /** Empty when it is sealed or there is none. */
    Optional<SecretBytes> seed() {
        return seed;
    }

    Map<Address, SigningKey> copy() {
        return Map.copyOf(keys);
    }

    /** Whether {@code question} is the first to wait, so that unsealing must be begun. */
    boolean waitForKey(Address address, Question question) {
        List<Question> waiting = waitingForKey.computeIfAbsent(address, unused -> new ArrayList<>());
        waiting.add(question);
        return waiting.size() == 1;
    }

    /** Whether {@code question} is the first to wait, so that unsealing must be begun. */
    boolean waitForSeed(Question question) {
        waitingForSeed.add(question);
        return waitingForSeed.size() == 1;
    }

    List<Question> endWaitForKey(Address address) {
        return Optional.ofNullable(waitingForKey.remove(address)).orElse(List.of());
    }

    List<Question> endWaitForSeed() {
        List<Question> waiting = List.copyOf(waitingForSeed);
        waitingForSeed.clear();
        return waiting;
    }

    void put(Address address, SigningKey key) {
        keys.put(address, key);
    }

    void putSeed(SecretBytes entropy) {
        seed = Optional.of(entropy);
    }

    void remove(Address address) {
        Optional.ofNullable(keys.remove(address)).ifPresent(SigningKey::close);
    }

    /** Overwrites everything and refuses everybody who waits. */
    void wipe(KeyringException refusal) {
        keys.values().forEach(SigningKey::close);
        keys.clear();
        seed.ifPresent(SecretBytes::close);
        seed = Optional.empty();
        endWaitForSeed().forEach(question -> question.refuse(refusal));
        waitingForKey.values().forEach(waiting -> waiting.forEach(question -> question.refuse(refusal)));
        waitingForKey.clear();
    }
}
