package org.chainwalletd.rpc.method.read;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.chain.Address;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.OrNull;

/** {@code validate_address}: is a text well-formed as an address. Hex addresses have no checksum, so that is all that can be said. */
final class ValidateAddressMethod extends ReadMethod<ValidateAddressMethod.Params, ValidateAddressMethod.Result> {
    public record Params(@Doc("Any text") String address) {}

    /**
     * @param normalized null when not valid
     */
    public record Result(
            boolean valid,

            @Doc("The address in lower case, null when it is none") @OrNull
            Address normalized) {}

    ValidateAddressMethod() {
        super(
                "validate_address",
                "Tells whether a text has the form of an address; asks no node.",
                Params.class,
                Result.class);
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of();
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        return CompletableFuture.completedStage(check(params.address()));
    }

    private static Result check(String text) {
        try {
            return new Result(true, Address.parse(text));
        } catch (IllegalArgumentException e) {
            return new Result(false, null);
        }
    }
}
