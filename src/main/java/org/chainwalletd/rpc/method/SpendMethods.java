package org.chainwalletd.rpc.method;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.Spending.AbandonTransfer;
import org.chainwalletd.api.Spending.AllowanceStatus;
import org.chainwalletd.api.Spending.Input;
import org.chainwalletd.api.Spending.Output;
import org.chainwalletd.api.Spending.PaidOutput;
import org.chainwalletd.api.Spending.SendRawTransaction;
import org.chainwalletd.api.Spending.SimulateTransfer;
import org.chainwalletd.api.Spending.Transfer;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.spend.Simulation;
import org.chainwalletd.spend.SpendService;
import org.chainwalletd.spend.plan.Payment;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.Requester;
import org.chainwalletd.spend.plan.TransferRequest;
import org.chainwalletd.store.Coin;

/** Handlers of the methods of {@link org.chainwalletd.api.Spending}. */
public record SpendMethods(SpendService spending, Executor executor) {
    public List<RpcMethod<?, ?>> all() {
        return List.of(
                RpcMethod.of(
                        Transfer.class,
                        (call, context) -> spending.transfer(
                                        request(call.payment(), call.clientToken()),
                                        new Requester(context.grant(), SpendOptions.memo(call.memo())))
                                .thenApplyAsync(SpendMethods::result, executor)),
                RpcMethod.of(
                        SimulateTransfer.class,
                        call -> spending.simulate(request(call.payment(), Optional.empty())),
                        SpendMethods::result,
                        executor),
                RpcMethod.of(
                        SendRawTransaction.class,
                        (call, context) -> spending.sendRaw(
                                        call.txHex(), context.grant().name())
                                .thenApplyAsync(SendRawTransaction.Result::new, executor)),
                RpcMethod.of(
                        AbandonTransfer.class,
                        call -> spending.abandon(call.outpoints().stream()
                                .map(outpoint -> new Outpoint(outpoint.txId(), outpoint.outputIndex()))
                                .toList()),
                        done -> new AbandonTransfer.Result(done.released(), done.remaining()),
                        executor),
                RpcMethod.of(
                        AllowanceStatus.class,
                        call -> spending.allowanceStatus(),
                        status -> new AllowanceStatus.Result(
                                status.limits().perTransaction(),
                                status.limits().perPeriod(),
                                status.limits().period().toSeconds(),
                                status.spent(),
                                status.remaining()),
                        executor));
    }

    private static Transfer.Result result(Receipt receipt) {
        return new Transfer.Result(
                receipt.txId(),
                receipt.size(),
                receipt.fee(),
                receipt.feeRate(),
                inputs(receipt.inputs()),
                outputs(receipt.outputs()),
                receipt.builtAtHeight());
    }

    private static SimulateTransfer.Result result(Simulation simulation) {
        return new SimulateTransfer.Result(
                simulation.size(),
                simulation.fee(),
                simulation.feeRate(),
                inputs(simulation.inputs()),
                outputs(simulation.outputs()),
                simulation.totalIn(),
                simulation.totalOut(),
                simulation.change(),
                simulation.builtAtHeight());
    }

    /** Validates the parameters as far as possible locally, in the order of decisions.md, section 2. */
    private static TransferRequest request(
            org.chainwalletd.api.Spending.Payment payment, Optional<String> clientToken) {
        int count = payment.outputs().size();
        if (count == 0) {
            throw RefusedException.invalidParams("`outputs` must have at least one item");
        }
        if (count > TransferRequest.MAX_OUTPUTS) {
            throw SpendErrors.tooManyOutputs(count, TransferRequest.MAX_OUTPUTS);
        }
        if (count > 1
                && payment.outputs().stream()
                        .anyMatch(output -> output.amount().amount().isEmpty())) {
            throw RefusedException.invalidParams("`amount` \"max\" is for a single output");
        }
        return new TransferRequest(
                payment.from(),
                payments(payment.outputs()),
                SpendOptions.fee(payment.feeRate(), payment.fee()),
                payment.maxFee().orElse(TransferRequest.DEFAULT_MAX_FEE),
                SpendOptions.token(clientToken),
                payment.datum().map(SpendMethods::datum));
    }

    private static List<Payment> payments(List<Output> outputs) {
        List<Payment> payments = new ArrayList<>(outputs.size());
        for (Output output : outputs) {
            try {
                payments.add(
                        new Payment(Address.parse(output.to()), output.amount().amount()));
            } catch (IllegalArgumentException e) {
                throw RefusedException.invalidParams(
                        "`outputs[" + payments.size() + "].to` must be an address of 64 hex characters");
            }
        }
        return payments;
    }

    private static Bytes datum(String hex) {
        if (hex.length() > 2 * ChainProfile.MAX_DATUM_BYTES) {
            throw RefusedException.invalidParams(
                    "`datum` must have at most " + ChainProfile.MAX_DATUM_BYTES + " bytes");
        }
        try {
            return Bytes.parse(hex);
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalidParams("`datum` must be hex with an even number of digits");
        }
    }

    private static List<Input> inputs(List<Coin> coins) {
        return coins.stream()
                .map(coin -> new Input(coin.outpoint().txId(), coin.outpoint().index(), coin.value()))
                .toList();
    }

    /** Outputs of a transfer always have an address. */
    private static List<PaidOutput> outputs(List<Receipt.PaidOutput> outputs) {
        return outputs.stream()
                .map(paid -> new PaidOutput(
                        paid.output().address().orElseThrow(), paid.output().value(), paid.change()))
                .toList();
    }
}
