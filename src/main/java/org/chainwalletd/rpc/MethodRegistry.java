package org.chainwalletd.rpc;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.Scope;
import org.chainwalletd.wire.RawJson;

/** Registry of all methods by name. The scope table, {@code rpc.discover} and the reference page are made from it. */
public final class MethodRegistry {
    private final Map<String, RegisteredMethod<?, ?>> methods;

    private MethodRegistry(Map<String, RegisteredMethod<?, ?>> methods) {
        this.methods = methods;
    }

    /** @throws IllegalArgumentException when two methods have the same name */
    public static MethodRegistry of(Collection<? extends RpcMethod<?, ?>> methods) {
        Map<String, RegisteredMethod<?, ?>> byName = new LinkedHashMap<>();
        for (RpcMethod<?, ?> method : methods) {
            if (byName.put(method.name(), new RegisteredMethod<>(method)) != null) {
                throw new IllegalArgumentException("two methods are called " + method.name());
            }
        }
        return new MethodRegistry(byName);
    }

    /**
     * Creates the registry of the given methods and {@code rpc.discover}, which describes them all.
     *
     * @param version version of the daemon
     */
    public static MethodRegistry withDiscovery(List<? extends RpcMethod<?, ?>> methods, String version) {
        List<RpcMethod<?, ?>> all = new ArrayList<>(methods);
        all.add(discovery(all, version));
        return of(all);
    }

    /** Creates {@code rpc.discover}, which describes the methods that are in {@code all} at its first call. */
    private static RpcMethod<RpcMethod.NoParams, RawJson> discovery(List<RpcMethod<?, ?>> all, String version) {
        AtomicReference<RawJson> document = new AtomicReference<>();
        return RpcMethod.of(
                "rpc.discover",
                Scope.READ,
                "Describes all methods as an OpenRPC document.",
                RpcMethod.NoParams.class,
                RawJson.class,
                (none, context) -> {
                    if (document.get() == null) {
                        document.set(new RawJson(OpenRpc.document(all, version).toString()));
                    }
                    return CompletableFuture.completedFuture(document.get());
                });
    }

    /** Returns the methods in the order in which they were given. */
    public List<RpcMethod<?, ?>> methods() {
        return methods.values().stream()
                .<RpcMethod<?, ?>>map(RegisteredMethod::method)
                .toList();
    }

    /**
     * Answer of {@code rpc.discover}: the OpenRPC document of all methods.
     *
     * @param version version of the daemon
     */
    public JsonNode describe(String version) {
        return OpenRpc.document(methods(), version);
    }

    /**
     * Returns these methods, of which those that need background work are refused while it is done elsewhere.
     *
     * @param objection empty while background work is done here
     */
    public MethodRegistry withBackground(Supplier<Optional<RefusedException>> objection) {
        return of(methods().stream()
                .<RpcMethod<?, ?>>map(method -> method.background() ? method.unless(objection) : method)
                .toList());
    }

    /** Finds a method by name; null when there is none. */
    RegisteredMethod<?, ?> find(String name) {
        return methods.get(name);
    }
}
