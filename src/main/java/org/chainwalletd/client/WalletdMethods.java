package org.chainwalletd.client;

import org.chainwalletd.client.method.AbandonTransfer;
import org.chainwalletd.client.method.AllowanceStatus;
import org.chainwalletd.client.method.Call;
import org.chainwalletd.client.method.ContractStats;
import org.chainwalletd.client.method.DeleteAddress;
import org.chainwalletd.client.method.DetectInChainSwaps;
import org.chainwalletd.client.method.EvmCreateAddress;
import org.chainwalletd.client.method.EvmDeleteKey;
import org.chainwalletd.client.method.EvmGetAddress;
import org.chainwalletd.client.method.EvmGetBalances;
import org.chainwalletd.client.method.EvmImportKey;
import org.chainwalletd.client.method.EvmImportMnemonic;
import org.chainwalletd.client.method.EvmRevealMnemonic;
import org.chainwalletd.client.method.EvmSendNative;
import org.chainwalletd.client.method.EvmTxHistory;
import org.chainwalletd.client.method.ExportAddress;
import org.chainwalletd.client.method.ExportVault;
import org.chainwalletd.client.method.FindSettlementsByQuoteId;
import org.chainwalletd.client.method.GenerateAddress;
import org.chainwalletd.client.method.GenerateIndependentAddress;
import org.chainwalletd.client.method.GenerateStandardAddress;
import org.chainwalletd.client.method.GetAddressHistory;
import org.chainwalletd.client.method.GetAddressMempool;
import org.chainwalletd.client.method.GetAddressUtxos;
import org.chainwalletd.client.method.GetAttestationEdges;
import org.chainwalletd.client.method.GetBalance;
import org.chainwalletd.client.method.GetBlockByHeight;
import org.chainwalletd.client.method.GetBlockById;
import org.chainwalletd.client.method.GetBlockHeight;
import org.chainwalletd.client.method.GetBlockIdAtHeight;
import org.chainwalletd.client.method.GetFollowerStatus;
import org.chainwalletd.client.method.GetOutputDatum;
import org.chainwalletd.client.method.GetOutputSpentBy;
import org.chainwalletd.client.method.GetScriptUtxos;
import org.chainwalletd.client.method.GetStatus;
import org.chainwalletd.client.method.GetTransaction;
import org.chainwalletd.client.method.GetWalletBalance;
import org.chainwalletd.client.method.HtlcClaim;
import org.chainwalletd.client.method.HtlcForget;
import org.chainwalletd.client.method.HtlcList;
import org.chainwalletd.client.method.HtlcLock;
import org.chainwalletd.client.method.HtlcLookupByHashlock;
import org.chainwalletd.client.method.HtlcReclaim;
import org.chainwalletd.client.method.HtlcStatus;
import org.chainwalletd.client.method.ImportMnemonic;
import org.chainwalletd.client.method.ImportPrivateKey;
import org.chainwalletd.client.method.ImportStandardMnemonic;
import org.chainwalletd.client.method.ImportVault;
import org.chainwalletd.client.method.ListAddresses;
import org.chainwalletd.client.method.ListCredits;
import org.chainwalletd.client.method.ListSettlements;
import org.chainwalletd.client.method.LpDepositStart;
import org.chainwalletd.client.method.LpDepositStatus;
import org.chainwalletd.client.method.LpPoolInfo;
import org.chainwalletd.client.method.LpPosition;
import org.chainwalletd.client.method.LpWithdrawSelf;
import org.chainwalletd.client.method.PaymentUriDecode;
import org.chainwalletd.client.method.PaymentUriEncode;
import org.chainwalletd.client.method.Ping;
import org.chainwalletd.client.method.QuoteIssue;
import org.chainwalletd.client.method.QuoteVerify;
import org.chainwalletd.client.method.Rescan;
import org.chainwalletd.client.method.RevealAddressMnemonic;
import org.chainwalletd.client.method.RevealEvmPrivateKey;
import org.chainwalletd.client.method.RevealMnemonic;
import org.chainwalletd.client.method.RevealPrivateKey;
import org.chainwalletd.client.method.SendRawTransaction;
import org.chainwalletd.client.method.SignMessage;
import org.chainwalletd.client.method.SimulateHtlcLock;
import org.chainwalletd.client.method.SimulateTransfer;
import org.chainwalletd.client.method.SwapExecute;
import org.chainwalletd.client.method.SwapGetQuote;
import org.chainwalletd.client.method.SwapList;
import org.chainwalletd.client.method.SwapPoolInfo;
import org.chainwalletd.client.method.SwapPriceKlines;
import org.chainwalletd.client.method.SwapRefund;
import org.chainwalletd.client.method.SwapStatus;
import org.chainwalletd.client.method.Transfer;
import org.chainwalletd.client.method.ValidateAddress;
import org.chainwalletd.client.method.VerifyMessage;
import org.chainwalletd.client.method.WaitForPayment;
import org.chainwalletd.client.method.WaitForTx;

/** All methods of the daemon, each waiting for its answer. They throw {@link WalletdException}. Made from the method registry. */
public interface WalletdMethods {
    /** Calls any method. */
    <R> R call(Call<R> call);

    /** Answers; asks nobody. */
    default Ping.Result ping(Ping call) {
        return call(call);
    }

    /** {@link Ping} with nothing but defaults. */
    default Ping.Result ping() {
        return call(Ping.of());
    }

    /** Tells whether a text has the form of an address; asks no node. */
    default ValidateAddress.Result validateAddress(ValidateAddress call) {
        return call(call);
    }

    /** Version, tip, nodes, number of keys and spends in flight; succeeds also when no node does. */
    default GetStatus.Result getStatus(GetStatus call) {
        return call(call);
    }

    /** {@link GetStatus} with nothing but defaults. */
    default GetStatus.Result getStatus() {
        return call(GetStatus.of());
    }

    /** Height and id of the best block. */
    default GetBlockHeight.Result getBlockHeight(GetBlockHeight call) {
        return call(call);
    }

    /** {@link GetBlockHeight} with nothing but defaults. */
    default GetBlockHeight.Result getBlockHeight() {
        return call(GetBlockHeight.of());
    }

    /** A block by its id; it may be one of a stale fork. */
    default GetBlockById.Result getBlockById(GetBlockById call) {
        return call(call);
    }

    /** The block of the best chain at a height. */
    default GetBlockByHeight.Result getBlockByHeight(GetBlockByHeight call) {
        return call(call);
    }

    /** Id of the block of the best chain at a height; costs as much as get_block_by_height. */
    default GetBlockIdAtHeight.Result getBlockIdAtHeight(GetBlockIdAtHeight call) {
        return call(call);
    }

    /** A confirmed or pending transaction with its inputs resolved. */
    default GetTransaction.Result getTransaction(GetTransaction call) {
        return call(call);
    }

    /** Confirmed balance of an address; the mempool is not counted. */
    default GetBalance.Result getBalance(GetBalance call) {
        return call(call);
    }

    /** Confirmed balances of the managed addresses and their sum. When the nodes' quotas do not suffice at once it takes up to 90 seconds, for up to 2000 addresses. */
    default GetWalletBalance.Result getWalletBalance(GetWalletBalance call) {
        return call(call);
    }

    /** {@link GetWalletBalance} with nothing but defaults. */
    default GetWalletBalance.Result getWalletBalance() {
        return call(GetWalletBalance.of());
    }

    /** Confirmed unspent outputs of an address, at most 1000; there is no cursor. */
    default GetAddressUtxos.Result getAddressUtxos(GetAddressUtxos call) {
        return call(call);
    }

    /** Confirmed unspent outputs with a locking script, at most 1000; there is no cursor. */
    default GetScriptUtxos.Result getScriptUtxos(GetScriptUtxos call) {
        return call(call);
    }

    /** Unconfirmed transactions that pay or spend an address. */
    default GetAddressMempool.Result getAddressMempool(GetAddressMempool call) {
        return call(call);
    }

    /** Makes a new key with a standard 24-word phrase of its own, which reveal_address_mnemonic returns. */
    default GenerateStandardAddress.Result generateStandardAddress(GenerateStandardAddress call) {
        return call(call);
    }

    /** {@link GenerateStandardAddress} with nothing but defaults. */
    default GenerateStandardAddress.Result generateStandardAddress() {
        return call(GenerateStandardAddress.of());
    }

    /** Makes a new key whose 24-word phrase spells the secret itself; the phrase restores into this daemon only. */
    default GenerateIndependentAddress.Result generateIndependentAddress(GenerateIndependentAddress call) {
        return call(call);
    }

    /** {@link GenerateIndependentAddress} with nothing but defaults. */
    default GenerateIndependentAddress.Result generateIndependentAddress() {
        return call(GenerateIndependentAddress.of());
    }

    /** Derives the next key of a seeded (legacy) keyring: index 0, 1, 2 and so on. Refused on a keyring without a seed. */
    default GenerateAddress.Result generateAddress(GenerateAddress call) {
        return call(call);
    }

    /** {@link GenerateAddress} with nothing but defaults. */
    default GenerateAddress.Result generateAddress() {
        return call(GenerateAddress.of());
    }

    /** Takes in a raw Ed25519 secret; the caller keeps the backup. */
    default ImportPrivateKey.Result importPrivateKey(ImportPrivateKey call) {
        return call(call);
    }

    /** Takes in a key from the 24 words that spell its secret (an independent phrase). */
    default ImportMnemonic.Result importMnemonic(ImportMnemonic call) {
        return call(call);
    }

    /** Takes in a key from a standard 24-word phrase, which is kept with it. */
    default ImportStandardMnemonic.Result importStandardMnemonic(ImportStandardMnemonic call) {
        return call(call);
    }

    /** Lists all addresses of the keyring. */
    default ListAddresses.Result listAddresses(ListAddresses call) {
        return call(call);
    }

    /** {@link ListAddresses} with nothing but defaults. */
    default ListAddresses.Result listAddresses() {
        return call(ListAddresses.of());
    }

    /** Reveals the 24 words of a 1:1 key: its standard phrase, or the words that spell its secret. */
    default RevealAddressMnemonic.Result revealAddressMnemonic(RevealAddressMnemonic call) {
        return call(call);
    }

    /** Reveals the 24 words of the seed of a seeded (legacy) keyring. */
    default RevealMnemonic.Result revealMnemonic(RevealMnemonic call) {
        return call(call);
    }

    /** Reveals the secret of a key of any origin. */
    default RevealPrivateKey.Result revealPrivateKey(RevealPrivateKey call) {
        return call(call);
    }

    /** Seals one key, with its standard phrase and label, into a portable vault. */
    default ExportAddress.Result exportAddress(ExportAddress call) {
        return call(call);
    }

    /** Seals every key, with standard phrases and labels, into a portable vault. What is damaged is left out and named; when nothing can be unsealed the call fails. Takes one key derivation per sealed file. */
    default ExportVault.Result exportVault(ExportVault call) {
        return call(call);
    }

    /** Takes in the keys of a vault that are not in the keyring yet, all together. */
    default ImportVault.Result importVault(ImportVault call) {
        return call(call);
    }

    /** Deletes a key for good. Refused while its address holds or awaits coins, is needed by a spend in flight, or cannot be checked, unless force is true. */
    default DeleteAddress.Result deleteAddress(DeleteAddress call) {
        return call(call);
    }

    /** Builds, signs and broadcasts a payment to up to 16 recipients; change returns to the sender. With a client_token a repeated call settles the same payment and never makes a second one. */
    default Transfer.Result transfer(Transfer call) {
        return call(call);
    }

    /** Selects and prices a transfer as it would be made now. Broadcasts and reserves nothing; takes no client_token. */
    default SimulateTransfer.Result simulateTransfer(SimulateTransfer call) {
        return call(call);
    }

    /** Broadcasts a transaction that was signed elsewhere. One that the node knows already counts as sent. */
    default SendRawTransaction.Result sendRawTransaction(SendRawTransaction call) {
        return call(call);
    }

    /** Frees reserved outpoints of a transfer that the network never accepted, and stops sending it. Ask get_transaction first. */
    default AbandonTransfer.Result abandonTransfer(AbandonTransfer call) {
        return call(call);
    }

    /** The spend caps that the operator has set, what was spent in the current window, and what remains. */
    default AllowanceStatus.Result allowanceStatus(AllowanceStatus call) {
        return call(call);
    }

    /** {@link AllowanceStatus} with nothing but defaults. */
    default AllowanceStatus.Result allowanceStatus() {
        return call(AllowanceStatus.of());
    }

    /** Where the follower of the chain stands. */
    default GetFollowerStatus.Result getFollowerStatus(GetFollowerStatus call) {
        return call(call);
    }

    /** {@link GetFollowerStatus} with nothing but defaults. */
    default GetFollowerStatus.Result getFollowerStatus() {
        return call(GetFollowerStatus.of());
    }

    /** Reads the chain again from a height, in the background and across restarts; get_follower_status tells how far it is. */
    default Rescan.Result rescan(Rescan call) {
        return call(call);
    }

    /** Waits until a transaction has enough confirmations; one that is unknown or in the mempool is waited for. */
    default WaitForTx.Result waitForTx(WaitForTx call) {
        return call(call);
    }

    /** Waits for a payment that was not pending yet when the call came. A time-out is a normal answer. */
    default WaitForPayment.Result waitForPayment(WaitForPayment call) {
        return call(call);
    }

    /** What the daemon's addresses were paid, in an order that never changes; with a cursor, nothing is missed or told twice. */
    default ListCredits.Result listCredits(ListCredits call) {
        return call(call);
    }

    /** {@link ListCredits} with nothing but defaults. */
    default ListCredits.Result listCredits() {
        return call(ListCredits.of());
    }

    /** The address of the account-chain key; null while there is none. On a seeded keyring without a key of its own, the one of the seed. */
    default EvmGetAddress.Result evmGetAddress(EvmGetAddress call) {
        return call(call);
    }

    /** {@link EvmGetAddress} with nothing but defaults. */
    default EvmGetAddress.Result evmGetAddress() {
        return call(EvmGetAddress.of());
    }

    /** Makes the account-chain key of 24 new words. With force it takes the place of another one, which is kept, sealed, unless a swap is open. */
    default EvmCreateAddress.Result evmCreateAddress(EvmCreateAddress call) {
        return call(call);
    }

    /** {@link EvmCreateAddress} with nothing but defaults. */
    default EvmCreateAddress.Result evmCreateAddress() {
        return call(EvmCreateAddress.of());
    }

    /** Takes the account-chain key from 12 or 24 words, at m/44'/60'/0'/0/0. With overwrite it takes the place of another one, which is kept, sealed; refused while that holds a balance, or may, or a swap is open. */
    default EvmImportMnemonic.Result evmImportMnemonic(EvmImportMnemonic call) {
        return call(call);
    }

    /** Takes a raw secp256k1 secret as the account-chain key; the caller keeps the backup. With overwrite it takes the place of another one, which is kept, sealed; refused while that holds a balance, or may, or a swap is open. */
    default EvmImportKey.Result evmImportKey(EvmImportKey call) {
        return call(call);
    }

    /** Reveals the words of the account-chain key; those of the seed where the seed gives the key. */
    default EvmRevealMnemonic.Result evmRevealMnemonic(EvmRevealMnemonic call) {
        return call(call);
    }

    /** Reveals the secret of the account-chain key. */
    default RevealEvmPrivateKey.Result revealEvmPrivateKey(RevealEvmPrivateKey call) {
        return call(call);
    }

    /** Deletes the account-chain key for good. Refused while it holds a balance, or its balance is unknown, or a swap is open, unless force is true. Replaced keys stay. */
    default EvmDeleteKey.Result evmDeleteKey(EvmDeleteKey call) {
        return call(call);
    }

    /** Balances of the account-chain key: the native asset as a quorum of endpoints names it, what open swaps need of it, and the configured tokens. Refused without --evm-rpc. */
    default EvmGetBalances.Result evmGetBalances(EvmGetBalances call) {
        return call(call);
    }

    /** {@link EvmGetBalances} with nothing but defaults. */
    default EvmGetBalances.Result evmGetBalances() {
        return call(EvmGetBalances.of());
    }

    /** Everything that this daemon sent on the account chain, newest first, with how far each transaction has come. Refused without --evm-rpc. */
    default EvmTxHistory.Result evmTxHistory(EvmTxHistory call) {
        return call(call);
    }

    /** {@link EvmTxHistory} with nothing but defaults. */
    default EvmTxHistory.Result evmTxHistory() {
        return call(EvmTxHistory.of());
    }

    /** Pays out of the account-chain key, and never from what open swaps need for gas. The transaction is durable before it leaves, sent again until it is final, and replaced by one that pays more when it is stuck: the hash may change, evm_tx_history has the one that counts. Refused without --evm-rpc. */
    default EvmSendNative.Result evmSendNative(EvmSendNative call) {
        return call(call);
    }

    /** Asks the pool for a quote and binds it: nothing is locked. It can be executed until it expires, by the process that took it. Only min_amount_out protects the price, since fee and impact are judged by the pool's own figures. Refused as long as no swap engine is configured. */
    default SwapGetQuote.Result swapGetQuote(SwapGetQuote call) {
        return call(call);
    }

    /** Locks our side of a quote; the daemon then claims the pool's, or takes ours back, without being asked again. A repeated call answers the record as it stands and locks nothing more. A sell is metered by the spend allowance. Refused as long as no swap engine is configured. */
    default SwapExecute.Result swapExecute(SwapExecute call) {
        return call(call);
    }

    /** Takes our own lock back when it is due; the daemon does so by itself too. Not due is -32037, nothing locked -32602. Refused as long as no swap engine is configured. */
    default SwapRefund.Result swapRefund(SwapRefund call) {
        return call(call);
    }

    /** One swap, as of the last look at both chains. Refused as long as no swap engine is configured. */
    default SwapStatus.Result swapStatus(SwapStatus call) {
        return call(call);
    }

    /** Swaps of the journal, newest first. Quotes that expired are forgotten after a week. Refused as long as no swap engine is configured. */
    default SwapList.Result swapList(SwapList call) {
        return call(call);
    }

    /** {@link SwapList} with nothing but defaults. */
    default SwapList.Result swapList() {
        return call(SwapList.of());
    }

    /** The pool's price, fee and reserves. Refused as long as no pool is configured. */
    default SwapPoolInfo.Result swapPoolInfo(SwapPoolInfo call) {
        return call(call);
    }

    /** {@link SwapPoolInfo} with nothing but defaults. */
    default SwapPoolInfo.Result swapPoolInfo() {
        return call(SwapPoolInfo.of());
    }

    /** The pool's price over time. Refused as long as no pool is configured. */
    default SwapPriceKlines.Result swapPriceKlines(SwapPriceKlines call) {
        return call(call);
    }

    /** {@link SwapPriceKlines} with nothing but defaults. */
    default SwapPriceKlines.Result swapPriceKlines() {
        return call(SwapPriceKlines.of());
    }

    /** The liquidity pool. Refused as long as no pool is configured. */
    default LpPoolInfo.Result lpPoolInfo(LpPoolInfo call) {
        return call(call);
    }

    /** {@link LpPoolInfo} with nothing but defaults. */
    default LpPoolInfo.Result lpPoolInfo() {
        return call(LpPoolInfo.of());
    }

    /** The shares of an address. Refused as long as no pool is configured. */
    default LpPosition.Result lpPosition(LpPosition call) {
        return call(call);
    }

    /** Begins a deposit; answers how to fund it. Refused as long as no pool is configured. */
    default LpDepositStart.Result lpDepositStart(LpDepositStart call) {
        return call(call);
    }

    /** How far a deposit has come. Refused as long as no pool is configured. */
    default LpDepositStatus.Result lpDepositStatus(LpDepositStatus call) {
        return call(call);
    }

    /** Cashes shares out. Refused as long as no pool is configured. */
    default LpWithdrawSelf.Result lpWithdrawSelf(LpWithdrawSelf call) {
        return call(call);
    }

    /** Issues a quote, a signed price for one payment that expires within the hour, with the preimage and hash lock for settling it by an HTLC. */
    default QuoteIssue.Result quoteIssue(QuoteIssue call) {
        return call(call);
    }

    /** Verifies a quote for this chain and this moment, without any key. Proves who wrote it, not that he may: compare signer_address with the one you trust. */
    default QuoteVerify.Result quoteVerify(QuoteVerify call) {
        return call(call);
    }

    /** Writes a request for a payment as a URI, fields in their canonical order, texts percent-encoded; asks nobody. */
    default PaymentUriEncode.Result paymentUriEncode(PaymentUriEncode call) {
        return call(call);
    }

    /** Reads a payment URI; unknown fields are dropped, hex comes back in lower case; asks nobody. */
    default PaymentUriDecode.Result paymentUriDecode(PaymentUriDecode call) {
        return call(call);
    }

    /** Signs a text with the key of an address, as a proof of ownership. Such a signature can never be taken for one of a transaction or a quote. */
    default SignMessage.Result signMessage(SignMessage call) {
        return call(call);
    }

    /** Verifies a signature of sign_message; asks neither the keyring nor a node. A key that is weak or no key at all is not valid, which is no error. */
    default VerifyMessage.Result verifyMessage(VerifyMessage call) {
        return call(call);
    }

    /** Locks coins in an HTLC that the receiver can claim with the preimage and the sender can reclaim above the timeout height. With a client_token a repeated call settles the same lock and never makes a second one. */
    default HtlcLock.Result htlcLock(HtlcLock call) {
        return call(call);
    }

    /** Selects and prices a lock as it would be made now. Broadcasts and reserves nothing; takes no client_token. */
    default SimulateHtlcLock.Result simulateHtlcLock(SimulateHtlcLock call) {
        return call(call);
    }

    /** Claims an HTLC with its preimage. The output on the chain is compared byte for byte with the script that the parameters describe before anything is built. */
    default HtlcClaim.Result htlcClaim(HtlcClaim call) {
        return call(call);
    }

    /** Takes an HTLC back whose timeout height the chain has passed. The output on the chain is compared byte for byte with the script that the parameters describe before anything is built. */
    default HtlcReclaim.Result htlcReclaim(HtlcReclaim call) {
        return call(call);
    }

    /** One HTLC: from the local index when a key of this daemon is a party, else from an indexer, as `observer`. */
    default HtlcStatus.Result htlcStatus(HtlcStatus call) {
        return call(call);
    }

    /** HTLCs in which keys of this daemon are parties, from the local index, page by page; with `address` and any role also those of which only an indexer knows, as `observer`. */
    default HtlcList.Result htlcList(HtlcList call) {
        return call(call);
    }

    /** {@link HtlcList} with nothing but defaults. */
    default HtlcList.Result htlcList() {
        return call(HtlcList.of());
    }

    /** Every HTLC of the local index that commits to a hash lock, and as `observer` those of which only an indexer knows. Anybody may lock with a hash that is known: compare amount, parties and timeout. */
    default HtlcLookupByHashlock.Result htlcLookupByHashlock(HtlcLookupByHashlock call) {
        return call(call);
    }

    /** Removes a claimed, reclaimed or unknown HTLC from the local index. It comes back when a reorganisation takes the block away that settled it. */
    default HtlcForget.Result htlcForget(HtlcForget call) {
        return call(call);
    }

    /** What an address has received and spent, in ascending order of height. */
    default GetAddressHistory.Result getAddressHistory(GetAddressHistory call) {
        return call(call);
    }

    /** Contracts of an address that have been settled, in ascending order of height. */
    default ListSettlements.Result listSettlements(ListSettlements call) {
        return call(call);
    }

    /** How the contracts of an address went. */
    default ContractStats.Result contractStats(ContractStats call) {
        return call(call);
    }

    /** How the contracts of an address went, by counterparty. */
    default GetAttestationEdges.Result getAttestationEdges(GetAttestationEdges call) {
        return call(call);
    }

    /** HTLCs of this chain that share a hash lock. */
    default DetectInChainSwaps.Result detectInChainSwaps(DetectInChainSwaps call) {
        return call(call);
    }

    /** {@link DetectInChainSwaps} with nothing but defaults. */
    default DetectInChainSwaps.Result detectInChainSwaps() {
        return call(DetectInChainSwaps.of());
    }

    /** The confirmed transaction that has spent an output. */
    default GetOutputSpentBy.Result getOutputSpentBy(GetOutputSpentBy call) {
        return call(call);
    }

    /** The quote that an output refers to by its datum. */
    default GetOutputDatum.Result getOutputDatum(GetOutputDatum call) {
        return call(call);
    }

    /** Outputs that refer to a quote by their datum. */
    default FindSettlementsByQuoteId.Result findSettlementsByQuoteId(FindSettlementsByQuoteId call) {
        return call(call);
    }
}
