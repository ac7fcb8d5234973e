package org.chainwalletd.rpc.method.quote;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Ed25519Signature;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.U64;
import org.chainwalletd.quote.Quote;
import org.chainwalletd.quote.SignedQuote;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.wire.Doc;

/** A signed quote on the wire (chain protocol, appendix D.1), in the default spelling. */
record QuoteObject(
        @Doc("1") long version,
        @Doc("32 hex characters") Bytes quoteId,
        @Doc("3 to 12 of A-Z and 0-9") String currency,
        @Doc("in the currency's smallest unit; informative") long amountMinor,

        @Doc("informative; called by the brand's word where the brand is another than chain")
        long rateChainPerUnit,

        @Doc("base units, the only binding amount; called by the brand's word where the brand is another than chain")
        Amount chainAmount,

        PublicKey payeePubkey,

        @Doc("when present, the quote is for this payer only")
        Optional<PublicKey> payerPubkey,

        @Doc("Unix seconds") long issuedAt,
        @Doc("Unix seconds") long expiresAt,
        @Doc("at most 256 bytes of UTF-8, empty for none") String memo,
        PublicKey signerPubkey,
        Ed25519Signature signature) {
    /**
     * @throws RpcException -32602 for an id of another length
     */
    SignedQuote signed() {
        Quote quote = new Quote(
                version,
                quoteId("quote.quote_id", quoteId),
                currency,
                amountMinor,
                rateChainPerUnit,
                chainAmount,
                payeePubkey,
                payerPubkey,
                issuedAt,
                expiresAt,
                memo);
        return new SignedQuote(quote, signerPubkey, signature);
    }

    /**
     * @param path of the parameter, for the message
     * @throws RpcException -32602 unless there are 16 bytes
     */
    static Bytes quoteId(String path, Bytes id) {
        if (id.length() != Quote.ID_LENGTH) {
            throw RpcException.invalidParams(
                    "parameter `" + path + "` must be 32 hex characters, got " + 2 * id.length());
        }
        return id;
    }

    /** As it is written: the members of {@link QuoteObject} in their order, the brand's in its words. */
    static ObjectNode of(SignedQuote signed, BrandedMembers members) {
        Quote quote = signed.quote();
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        number(object, "version", quote.version());
        object.put("quote_id", quote.id().hex()).put("currency", quote.currency());
        number(object, "amount_minor", quote.amountMinor());
        number(object, members.rate(), quote.rate());
        number(object, members.amount(), quote.chainAmount().bits());
        object.put("payee_pubkey", quote.payee().hex());
        quote.payer().ifPresent(payer -> object.put("payer_pubkey", payer.hex()));
        number(object, "issued_at", quote.issuedAt());
        number(object, "expires_at", quote.expiresAt());
        return object.put("memo", quote.memo())
                .put("signer_pubkey", signed.signer().hex())
                .put("signature", signed.signature().hex());
    }

    private static void number(ObjectNode object, String name, long value) {
        object.put(name, U64.toBigInteger(value));
    }
}
