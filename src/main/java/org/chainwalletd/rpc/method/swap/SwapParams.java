package org.chainwalletd.rpc.method.swap;

import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.wire.Doc;

/** Parameter records of the family; amounts in units of an asset are decimal strings. */
final class SwapParams {
    private SwapParams() {}

    record Quote(
            @Doc("chain_to_native (a sell) or native_to_chain (a buy); the brand's words are read too")
            String direction,

            @Doc("decimal string in whole coins of the asset that is given")
            String amountIn,

            @Doc("own address of the chain leg") Address from,

            @Doc("decimal string; a quote below it is refused")
            Optional<String> minAmountOut) {}

    record Swap(@Doc("the daemon's own id of the swap") String swapId) {}

    record Execute(
            @Doc("the daemon's own id of the swap") String swapId,

            @Doc("decimal string; a quote below it is not executed")
            Optional<String> minAmountOut) {}

    record SwapList(
            @Doc("only swaps of this status") Optional<String> state,
            @Doc("default 100, at most 1000") OptionalLong limit,
            @Doc("from a previous answer") Optional<String> cursor) {}

    record Klines(
            @Doc("default 1d") Optional<String> interval,
            @Doc("default 120, at most 500") OptionalLong limit) {}

    record Position(Address address) {}

    record DepositStart(
            Address chainAddress,
            @Doc("0x and 40 hex characters") String evmAddress) {}

    record DepositStatus(String id) {}

    record Withdraw(
            Address chainAddress, @Doc("decimal string") String shares) {}

    record CreateKey(
            @Doc("replace an existing key, whatever it holds; default false")
            Optional<Boolean> force) {}

    record ImportPhrase(
            @Doc("12 or 24 English BIP-39 words") SecretBytes mnemonic,

            @Doc("replace an existing key; default false") Optional<Boolean> overwrite) {}

    record ImportKey(
            @Doc("64 hex characters, a secp256k1 secret") SecretBytes privateKeyHex,

            @Doc("replace an existing key; default false") Optional<Boolean> overwrite) {}

    record Reveal(@Doc("passphrase of the keystore") SecretBytes passphrase) {}

    record DeleteKey(
            @Doc("passphrase of the keystore") SecretBytes passphrase,

            @Doc("delete it whatever it holds; default false")
            Optional<Boolean> force) {}

    record Send(
            @Doc("0x and 40 hex characters") String to,

            @Doc("decimal string in whole coins, or max for all that open swaps do not need")
            String amount,

            @Doc("8 to 128 printable ASCII characters; the same token never pays twice")
            Optional<String> clientToken) {}

    record History(
            @Doc("default 100, at most 1000") OptionalLong limit,
            @Doc("from a previous answer") Optional<String> cursor) {}
}
