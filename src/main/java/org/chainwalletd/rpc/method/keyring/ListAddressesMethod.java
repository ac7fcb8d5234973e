package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.keyring.KeyEntry;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NoParams;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.rpc.Scope;
import org.chainwalletd.rpc.U32;

/** {@code list_addresses}: everything in the keyring, from memory. */
final class ListAddressesMethod implements RpcMethod<NoParams, ListAddressesMethod.Result> {
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
        this.keyring = keyring;
        this.executor = executor;
    }

    @Override
    public String name() {
        return "list_addresses";
    }

    @Override
    public Scope scope() {
        return Scope.READ;
    }

    @Override
    public String summary() {
        return "Lists all addresses of the keyring.";
    }

    @Override
    public Class<NoParams> params() {
        return NoParams.class;
    }

    @Override
    public Class<Result> result() {
        return Result.class;
    }

    @Override
    public CompletionStage<Result> call(NoParams params, CallContext context) {
        return CompletableFuture.supplyAsync(
                () -> new Result(keyring.list().stream().map(AddressEntry::of).toList()), executor);
    }
}
