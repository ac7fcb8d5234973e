package org.chainwalletd.rpc.method.spend;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.spend.FeeChoice;
import org.chainwalletd.spend.Payment;
import org.chainwalletd.spend.TransferRequest;

/** The checks of a transfer's parameters that need nobody else, in the order of decisions.md, section 2. */
final class TransferChecks {
    private static final int SHORTEST_TOKEN = 8;
    private static final int LONGEST_TOKEN = 128;

    private TransferChecks() {}

    static TransferRequest request(PaymentParams params, Optional<String> clientToken) {
        int count = params.outputs().size();
        if (count == 0) {
            throw RpcException.invalidParams("`outputs` must have at least one item");
        }
        if (count > TransferRequest.MAX_OUTPUTS) {
            throw SpendErrors.tooManyOutputs(count, TransferRequest.MAX_OUTPUTS);
        }
        List<Payment> payments = payments(params.outputs());
        if (params.fee().isPresent() && params.feeRate().isPresent()) {
            throw RpcException.invalidParams("`fee` and `fee_rate` are mutually exclusive; give one");
        }
        clientToken.ifPresent(TransferChecks::checkToken);
        return new TransferRequest(
                params.from(),
                payments,
                feeChoice(params.feeRate(), params.fee()),
                params.maxFee().orElse(TransferRequest.DEFAULT_MAX_FEE),
                clientToken,
                params.datum().map(TransferChecks::datum));
    }

    private static FeeChoice feeChoice(OptionalLong feeRate, Optional<Amount> fee) {
        if (fee.isPresent()) {
            return new FeeChoice.Fixed(fee.get());
        }
        return feeRate.isPresent() ? new FeeChoice.Rate(feeRate.getAsLong()) : FeeChoice.MINIMUM;
    }

    private static List<Payment> payments(List<OutputParam> outputs) {
        List<Payment> payments = new ArrayList<>(outputs.size());
        for (OutputParam output : outputs) {
            try {
                payments.add(new Payment(Address.parse(output.to()), output.amount()));
            } catch (IllegalArgumentException e) {
                throw RpcException.invalidParams(
                        "`outputs[" + payments.size() + "].to` must be an address of 64 hex characters");
            }
        }
        return payments;
    }

    /** Printable ASCII only: the token stands in logs. */
    private static void checkToken(String token) {
        boolean printable = token.chars().allMatch(c -> c >= 0x20 && c <= 0x7e);
        if (token.length() < SHORTEST_TOKEN || token.length() > LONGEST_TOKEN || !printable) {
            throw RpcException.invalidParams("`client_token` must have " + SHORTEST_TOKEN + " to " + LONGEST_TOKEN
                    + " printable ASCII characters");
        }
    }

    private static Bytes datum(String hex) {
        if (hex.length() > 2 * ChainProfile.MAX_DATUM_BYTES) {
            throw RpcException.invalidParams("`datum` must have at most " + ChainProfile.MAX_DATUM_BYTES + " bytes");
        }
        try {
            return Bytes.parse(hex);
        } catch (IllegalArgumentException e) {
            throw RpcException.invalidParams("`datum` must be hex with an even number of digits");
        }
    }
}
