package org.chainwalletd.swap.legs;

import static org.chainwalletd.stage.Blocking.await;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.bouncycastle.util.BigIntegers;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.Keccak256;
import org.chainwalletd.evm.EvmAddress;

/**
 * Check that the contract is the one that the operator pinned and that its code is what runs (swap.md, section 2). A proxy keeps its own code and
 * hash when its implementation is exchanged, so proxies are refused.
 *
 * @param codeHash Keccak-256 of the code that the operator has reviewed
 */
public record ContractCheck(AccountChain chain, EvmAddress contract, Hash256 codeHash) {
    /** EIP-1167: code of a minimal proxy, before and after the address of its implementation. */
    private static final byte[] PROXY_HEAD = Bytes.parse("363d3d373d3d3d363d73").toArray();

    private static final byte[] PROXY_TAIL =
            Bytes.parse("5af43d82803e903d91602b57fd5bf3").toArray();

    /** Storage slots of EIP-1967: implementation, admin and beacon of a proxy. */
    private static final List<Hash256> PROXY_SLOTS =
            List.of(slot("eip1967.proxy.implementation"), slot("eip1967.proxy.admin"), slot("eip1967.proxy.beacon"));

    /** Returns Keccak-256 of the name, minus one. */
    static Hash256 slot(String name) {
        BigInteger hash = new BigInteger(1, Keccak256.of(name.getBytes(StandardCharsets.US_ASCII)));
        return Hash256.of(BigIntegers.asUnsignedByteArray(Hash256.LENGTH, hash.subtract(BigInteger.ONE)));
    }

    /**
     * Returns the objection to the contract, by quorum at a final block; empty when there is none. Fails with
     * {@link org.chainwalletd.account.endpoints.AccountException} when there is no quorum.
     */
    public Optional<String> objection() {
        Optional<AccountBlock> block = await(chain.finalBlock());
        if (block.isEmpty()) {
            return Optional.of("the account chain has no final block yet");
        }
        BlockRef at = BlockRef.hash(block.get().hash());
        Optional<String> against = against(await(chain.agreed(reads -> reads.code(contract, at))));
        if (against.isPresent()) {
            return against;
        }
        List<CompletionStage<Hash256>> words = PROXY_SLOTS.stream()
                .map(slot -> chain.agreed(reads -> reads.storage(contract, slot, at)))
                .toList();
        return words.stream().allMatch(word -> await(word).isZero())
                ? Optional.empty()
                : Optional.of("the contract lets another one run, which can be exchanged (EIP-1967)");
    }

    private Optional<String> against(Bytes code) {
        byte[] bytes = code.toArray();
        if (bytes.length == 0) {
            return Optional.of("there is no contract at " + contract);
        }
        if (isMinimalProxy(bytes)) {
            return Optional.of("the contract at " + contract + " only lets another one run (EIP-1167)");
        }
        Hash256 found = Hash256.of(Keccak256.of(bytes));
        return found.equals(codeHash)
                ? Optional.empty()
                : Optional.of("the contract at " + contract + " has code of the hash " + found + ", not " + codeHash);
    }

    static boolean isMinimalProxy(byte[] code) {
        return code.length == PROXY_HEAD.length + EvmAddress.LENGTH + PROXY_TAIL.length
                && Arrays.equals(code, 0, PROXY_HEAD.length, PROXY_HEAD, 0, PROXY_HEAD.length)
                && Arrays.equals(code, code.length - PROXY_TAIL.length, code.length, PROXY_TAIL, 0, PROXY_TAIL.length);
    }
}
