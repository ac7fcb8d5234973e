package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.keyring.KeyEntry;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.rpc.NoParams;
import org.chainwalletd.wire.U32;

/** {@code list_addresses} (interface.md, section 4.11). */
final class ListAddressesMethod extends NamedMethod<NoParams, ListAddressesMethod.Result> {
    /**
     * @param index only of a legacy HD key
     * @param imported true for every 1:1 key
     */
    record AddressEntry(Address address, @U32 OptionalLong index, Optional<String> label, boolean imported) {
        static AddressEntry of(KeyEntry entry) {
            return new AddressEntry(entry.address(), entry.index(), entry.label(), entry.imported());
        }
    }

    /** @param addresses legacy HD keys by index, then the others as they came */
    record Result(List<AddressEntry> addresses) {}

    private final Keyring keyring;
    private final Executor executor;

    ListAddressesMethod(Keyring keyring, Executor executor) {
        super("list_addresses", Scope.READ, "Lists all addresses of the keyring.", NoParams.class, Result.class);
        this.keyring = keyring;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Result> call(NoParams params, CallContext context) {
        return CompletableFuture.supplyAsync(
                () -> new Result(keyring.list().stream().map(AddressEntry::of).toList()), executor);
    }
}
