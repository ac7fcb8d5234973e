package org.chainwalletd.rpc.method.spend;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.spend.FeeChoice;
import org.chainwalletd.spend.Payment;
import org.chainwalletd.spend.TransferRequest;

/** The checks of a transfer's parameters that need nobody else, in the order of decisions.md, section 2. */
final class TransferChecks {
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
        FeeChoice fee = SpendOptions.fee(params.feeRate(), params.fee());
        return new TransferRequest(
                params.from(),
                payments,
                fee,
                params.maxFee().orElse(TransferRequest.DEFAULT_MAX_FEE),
                SpendOptions.token(clientToken),
                params.datum().map(TransferChecks::datum));
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
