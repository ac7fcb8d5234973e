package org.chainwalletd.keyring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.keyring.KeyringFixture.PASSPHRASE;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.eventually;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.chainwalletd.access.Grant;
import org.chainwalletd.access.Grants;
import org.chainwalletd.access.NamedToken;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.coins.CoinLedger;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.rpc.AnswerRoom;
import org.chainwalletd.rpc.CallObserver;
import org.chainwalletd.rpc.Client;
import org.chainwalletd.rpc.ClientPresence;
import org.chainwalletd.rpc.MethodRegistry;
import org.chainwalletd.rpc.RpcAnswer;
import org.chainwalletd.rpc.RpcDispatcher;
import org.chainwalletd.rpc.method.EvmKeyMethods;
import org.chainwalletd.rpc.method.KeyringErrors;
import org.chainwalletd.rpc.method.KeyringMethods;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.LedgerBooks;
import org.chainwalletd.store.books.LedgerTable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls whose callers leave, or lose their token, while the call waits for its Argon2id. The one thread for them is the test's. */
class GoneCallersTest {
    private static final String ENDED = "authentication required";
    private static final String LEFT = "the caller left before its turn; nothing was done";

    @TempDir
    Path datadir;

    private final Queue<Runnable> turns = new ConcurrentLinkedQueue<>();
    private volatile boolean held;

    @AutoClose
    private KeyringFixture fixture;

    @AutoClose
    private Books books;

    private Keyring keyring;
    private Address sealed;
    private Bytes vault;
    private RpcDispatcher calls;

    @BeforeEach
    void openWithASeedAndASealedKey() {
        fixture = new KeyringFixture(datadir.resolve("wallets"));
        fixture.argon2(work -> {
            if (held) {
                turns.add(work);
            } else {
                work.run();
            }
        });
        fixture.initSeeded();
        Keyring first = fixture.open();
        sealed = await(first.generateIndependent(Optional.empty())).address();
        vault = KeyringFixture.vault(first);
        keyring = fixture.reopened(first);
        await(keyring.evm().current());
        books = Books.open(datadir, List.of(new LedgerTable()));
        CoinLedger ledger = new CoinLedger(new LedgerBooks(books), null, Runnable::run);
        calls = new RpcDispatcher(
                MethodRegistry.of(Stream.of(
                                new KeyringMethods(keyring, ledger, null, null, Runnable::run).all(),
                                new EvmKeyMethods(
                                                keyring,
                                                address -> CompletableFuture.completedFuture(List.of()),
                                                Runnable::run)
                                        .all())
                        .flatMap(List::stream)
                        .toList()),
                List.of(new KeyringErrors(datadir)),
                CallObserver.NONE,
                new RpcDispatcher.Limits(1, 1, 1),
                Runnable::run);
        held = true;
    }

    /** Answer of a call for which {@code goes} happens while it waits. */
    private String answer(String method, String params, BiConsumer<Grant, ClientPresence> goes) {
        Grant grant = Grants.of(Scope.SPEND, NamedToken.Policy.NONE);
        ClientPresence presence = new ClientPresence();
        CompletionStage<RpcAnswer> answer = calls.dispatch(
                ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":{" + params + "}}")
                        .getBytes(UTF_8),
                Optional.of(grant),
                new Client("test", presence, () -> {}, AnswerRoom.BOUNDLESS));
        eventually(() -> !turns.isEmpty() || answer.toCompletableFuture().isDone());
        assertThat(turns).as(method).hasSize(1);
        goes.accept(grant, presence);
        AtomicInteger taken = new AtomicInteger();
        eventually(() -> {
            Optional.ofNullable(turns.poll()).ifPresent(turn -> {
                taken.incrementAndGet();
                turn.run();
            });
            return answer.toCompletableFuture().isDone();
        });
        assertThat(taken).as(method).hasValue(1);
        return new String(await(answer).body(), UTF_8);
    }

    private void assertNothingIsDone(String method, String params) {
        assertThat(answer(method, params, (grant, presence) -> Grants.end(grant)))
                .as(method)
                .contains(ENDED);
        assertThat(answer(method, params, (grant, presence) -> presence.leave()))
                .as(method)
                .contains(LEFT);
    }

    @Test
    void no_secret_is_unsealed_for_a_caller_who_is_gone() {
        String proof = "\"passphrase\":\"" + PASSPHRASE + "\"";
        String ofSealed = "\"address\":\"" + sealed + "\"," + proof;
        assertNothingIsDone("reveal_private_key", ofSealed);
        assertNothingIsDone("reveal_address_mnemonic", ofSealed);
        assertNothingIsDone("reveal_mnemonic", proof);
        assertNothingIsDone("export_address", ofSealed);
        assertNothingIsDone("export_vault", proof);
        assertNothingIsDone("evm_reveal_mnemonic", proof);
        assertNothingIsDone("reveal_evm_private_key", proof);
    }

    @Test
    void no_key_is_made_for_a_caller_who_is_gone() {
        assertNothingIsDone("generate_standard_address", "");
        assertNothingIsDone("generate_independent_address", "");
        // Further calls wait for nothing, because the seed is unsealed by then.
        assertThat(answer("generate_address", "", (grant, presence) -> Grants.end(grant)))
                .contains(ENDED);

        assertThat(keyring.list()).hasSize(1);
        assertAbandoned(4);
    }

    @Test
    void no_key_is_imported_for_a_caller_who_is_gone() {
        String words = "\"mnemonic\":\"" + "abandon ".repeat(23) + "art\"";
        assertNothingIsDone("import_private_key", "\"private_key\":\"" + "01".repeat(32) + "\"");
        assertNothingIsDone("import_mnemonic", words);
        assertNothingIsDone("import_standard_mnemonic", words);
        assertNothingIsDone("import_vault", "\"vault_hex\":\"" + vault + "\",\"passphrase\":\"vault\"");

        assertThat(keyring.list()).hasSize(1);
        assertAbandoned(6);
    }

    @Test
    void no_account_chain_key_replaces_the_current_one_for_a_caller_who_is_gone() {
        Optional<EvmAddress> before = await(keyring.evm().current());
        assertNothingIsDone("evm_create_address", "\"force\":true");
        assertNothingIsDone("evm_import_key", "\"private_key_hex\":\"" + "01".repeat(32) + "\",\"overwrite\":true");
        assertNothingIsDone(
                "evm_import_mnemonic", "\"mnemonic\":\"" + "abandon ".repeat(11) + "about\",\"overwrite\":true");

        assertThat(await(keyring.evm().current())).isEqualTo(before);
    }

    @Test
    void no_key_is_deleted_for_a_caller_who_is_gone() {
        String proof = "\"passphrase\":\"" + PASSPHRASE + "\",\"force\":true";
        Optional<EvmAddress> before = await(keyring.evm().current());
        assertNothingIsDone("delete_address", "\"address\":\"" + sealed + "\"," + proof);
        assertNothingIsDone("evm_delete_key", proof);

        assertThat(keyring.list()).hasSize(1);
        assertThat(await(keyring.evm().current())).isEqualTo(before);
    }

    private void assertAbandoned(int count) {
        assertThat(fixture.metrics
                        .get("walletd.keyring.mints.abandoned")
                        .counter()
                        .count())
                .isEqualTo(count);
    }
}
