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

/** Registry of all methods by name, from which the scope table, {@code rpc.discover} and the reference page are generated. */
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
     * Creates a registry of the given methods and {@code rpc.discover}, which describes all of them.
     *
     * @param version version of the daemon
     */
    public static MethodRegistry withDiscovery(List<? extends RpcMethod<?, ?>> methods, String version) {
        List<RpcMethod<?, ?>> all = new ArrayList<>(methods);
        all.add(discovery(all, version));
        return of(all);
    }

    /** Creates {@code rpc.discover}, which describes the methods that are in {@code all} when it is first called. */
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

    /** Returns the methods in registration order. */
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
     * Returns a registry whose methods with background work are refused while another daemon runs that work.
     *
     * @param objection empty while background work runs here
     */
    public MethodRegistry withBackground(Supplier<Optional<RefusedException>> objection) {
        return of(methods().stream()
                .<RpcMethod<?, ?>>map(method -> method.background() ? method.unless(objection) : method)
                .toList());
    }

    /** Finds a method by name; null if there is none. */
    RegisteredMethod<?, ?> find(String name) {
        return methods.get(name);
    }
}
