package org.chainwalletd.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The wallet directory (interface.md, section 1.4): whether {@code state.json} and the key files agree. Nothing is unsealed. */
final class KeyringCheck implements Check {
    private static final String SUBJECT = "keyring";
    private static final String EVM_KEY_FILE = "evm.key.enc";
    private static final String KEY_FILE = "[0-9a-f]{64}\\.key\\.enc";
    private static final int HEX_ADDRESS = 64;

    private final Path wallets;
    private final Path state;

    KeyringCheck(Path wallets) {
        this.wallets = wallets;
        this.state = wallets.resolve("state.json");
    }

    @Override
    public List<Finding> examine() {
        try {
            return Files.exists(wallets) ? compare(sealedKeys()) : List.of(Finding.ok(SUBJECT, "there is none yet"));
        } catch (IOException e) {
            return List.of(Finding.fail(SUBJECT, wallets + " cannot be looked at: " + e));
        }
    }

    private List<Finding> compare(Set<String> sealed) {
        if (Files.exists(state)) {
            JsonNode listed = readState();
            return listed.isObject()
                    ? compare(listed, sealed)
                    : List.of(Finding.fail(SUBJECT, state + " cannot be read; restore it from a backup"));
        }
        return List.of(
                sealed.isEmpty()
                        ? Finding.ok(SUBJECT, "it is empty")
                        : Finding.fail(
                                SUBJECT,
                                state + " is missing although there are " + sealed.size()
                                        + " key files; restore it from a backup"));
    }

    private List<Finding> compare(JsonNode listed, Set<String> sealed) {
        Set<String> unlisted = new HashSet<>(sealed);
        List<String> lost = new ArrayList<>();
        listed.path("imported").forEach(address -> {
            if (!unlisted.remove(address.asText())) {
                lost.add(address.asText());
            }
        });
        List<Finding> findings = new ArrayList<>();
        findings.add(lost.isEmpty() ? complete(listed) : lost(lost));
        if (!unlisted.isEmpty()) {
            findings.add(
                    Finding.warn(
                            SUBJECT,
                            unlisted.size() + " key files are not listed in " + state
                                    + "; if they are not leftovers of an interrupted import, keep them and import their secrets"));
        }
        evmFinding(listed.path("evm_key").path("address").asText()).ifPresent(findings::add);
        return findings;
    }

    /** @param address of the account-chain key; empty when none is listed */
    private Optional<Finding> evmFinding(String address) {
        Path current = wallets.resolve("imported").resolve(EVM_KEY_FILE);
        if (address.isEmpty()) {
            return Files.exists(current)
                    ? Optional.of(Finding.warn(
                            SUBJECT,
                            current + " holds an account-chain key that " + state
                                    + " does not name; the next one that is made keeps it by its address"))
                    : Optional.empty();
        }
        String digits = address.startsWith("0x") ? address.substring(2).toLowerCase(Locale.ROOT) : address;
        Path own = wallets.resolve("evm").resolve(digits + ".key.enc");
        return Files.exists(current) || Files.exists(own)
                ? Optional.of(Finding.ok(SUBJECT, "the account-chain key " + address))
                : Optional.of(Finding.fail(
                        SUBJECT,
                        "the account-chain key " + address + " is listed in " + state + " and " + current
                                + " is missing; restore it from a backup"));
    }

    private Finding complete(JsonNode listed) {
        return Finding.ok(
                SUBJECT,
                listed.path("imported").size() + " keys of their own, "
                        + listed.path("derived").size() + " derived"
                        + (Files.exists(wallets.resolve("seed.enc")) ? " from a seed" : ""));
    }

    private Finding lost(List<String> addresses) {
        return Finding.fail(
                SUBJECT,
                addresses.size() + " keys are listed in " + state + " and have no file, " + Finding.named(addresses)
                        + "; restore them from a backup");
    }

    /** What is no JSON at all counts as no object. */
    private JsonNode readState() {
        ObjectMapper json = new ObjectMapper();
        try {
            return json.readTree(state.toFile());
        } catch (IOException e) {
            return json.missingNode();
        }
    }

    private Set<String> sealedKeys() throws IOException {
        Set<String> addresses = new HashSet<>();
        Path imported = wallets.resolve("imported");
        if (Files.isDirectory(imported)) {
            try (Stream<Path> files = Files.list(imported)) {
                files.map(file -> file.getFileName().toString())
                        .filter(name -> name.matches(KEY_FILE))
                        .forEach(name -> addresses.add(name.substring(0, HEX_ADDRESS)));
            }
        }
        return addresses;
    }
}
