package org.chainwalletd.testkit.evm;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.KeyDerivation;
import org.chainwalletd.crypto.Mnemonic;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;

/** Funded accounts of every development chain: the ten keys {@code m/44'/60'/0'/0/i} of the phrase "test … junk". */
final class EvmDevAccounts {
    private static final String PHRASE = "test test test test test test test test test test test junk";
    private static final int COUNT = 10;

    private static final Map<EvmAddress, SecretBytes> KEYS = derive();

    private static Map<EvmAddress, SecretBytes> derive() {
        Map<EvmAddress, SecretBytes> keys = new LinkedHashMap<>();
        try (Mnemonic phrase = Mnemonic.parse(PHRASE.getBytes(StandardCharsets.US_ASCII), 12);
                SecretBytes seed = phrase.seed()) {
            for (int i = 0; i < COUNT; i++) {
                int index = i;
                SecretBytes key = seed.use(bytes -> KeyDerivation.Bip32.derive(
                        bytes,
                        44 | KeyDerivation.Bip32.HARDENED,
                        60 | KeyDerivation.Bip32.HARDENED,
                        KeyDerivation.Bip32.HARDENED,
                        0,
                        index));
                keys.put(EvmAddress.ofSecret(key), key);
            }
        }
        return keys;
    }

    List<EvmAddress> addresses() {
        return List.copyOf(KEYS.keySet());
    }

    SecretBytes key(int index) {
        return KEYS.get(addresses().get(index));
    }

    /** Signs and submits a transaction of one of these accounts, as a node with unlocked accounts does. */
    Hash256 send(EvmLedger ledger, JsonNode wanted) {
        EvmAddress from = EvmJson.address(wanted.get("from"));
        SecretBytes key = KEYS.get(from);
        if (key == null) {
            throw new EvmRefusal(EvmRefusal.BAD_PARAMS, "No Signer available");
        }
        Optional<EvmAddress> to =
                wanted.hasNonNull("to") ? Optional.of(EvmJson.address(wanted.get("to"))) : Optional.empty();
        BigInteger tip = BigInteger.valueOf(1_000_000_000);
        Bytes raw = SignedTransaction.sign(
                key,
                ledger.chainId(),
                ledger.nextNonce(from),
                tip,
                ledger.baseFee().add(ledger.baseFee()).add(tip),
                wanted.hasNonNull("gas") ? EvmJson.quantity(wanted.get("gas")).longValueExact() : 1_000_000,
                to,
                wanted.hasNonNull("value") ? EvmJson.quantity(wanted.get("value")) : BigInteger.ZERO,
                wanted.hasNonNull("data") ? EvmJson.bytes(wanted.get("data"), "data") : Bytes.EMPTY);
        return ledger.submit(raw);
    }
}
