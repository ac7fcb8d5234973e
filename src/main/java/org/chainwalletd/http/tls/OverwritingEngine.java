package org.chainwalletd.http.tls;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;

/**
 * TLS engine that leaves no plaintext in the buffers of its caller, which live as long as the connection: the JDK decrypts in place, so the plaintext
 * is in both buffers of an {@code unwrap}. Consumed input is overwritten at once, produced output at the next call, when the caller has read it. For
 * callers that own their buffers and whose buffers have arrays, such as Pekko's.
 */
final class OverwritingEngine extends SSLEngine {
    private final SSLEngine engine;
    /** Buffer of plaintext that was produced and may not have been read yet. */
    private ByteBuffer produced = ByteBuffer.allocate(0);

    private int producedFrom;
    private int producedTo;

    OverwritingEngine(SSLEngine engine) {
        this.engine = engine;
    }

    @Override
    public SSLEngineResult wrap(ByteBuffer[] sources, int offset, int length, ByteBuffer target) throws SSLException {
        forgetProduced();
        int[] before = positions(sources);
        try {
            return engine.wrap(sources, offset, length, target);
        } finally {
            overwriteConsumed(sources, before);
        }
    }

    @Override
    public SSLEngineResult unwrap(ByteBuffer source, ByteBuffer[] targets, int offset, int length) throws SSLException {
        forgetProduced();
        ByteBuffer[] sources = {source};
        int[] before = positions(sources);
        if (producedTo == producedFrom) {
            produced = targets[offset];
            producedFrom = produced.position();
        }
        try {
            return engine.unwrap(source, targets, offset, length);
        } finally {
            overwriteConsumed(sources, before);
            producedTo = produced.position();
        }
    }

    /** Overwrites the produced plaintext unless the caller continues where it ends: then it has not been read yet. */
    private void forgetProduced() {
        if (produced.position() != producedTo) {
            overwrite(produced, producedFrom, producedTo);
            producedTo = producedFrom;
        }
    }

    private static int[] positions(ByteBuffer[] buffers) {
        return Arrays.stream(buffers).mapToInt(ByteBuffer::position).toArray();
    }

    private static void overwriteConsumed(ByteBuffer[] sources, int[] before) {
        for (int i = 0; i < sources.length; i++) {
            overwrite(sources[i], before[i], sources[i].position());
        }
    }

    private static void overwrite(ByteBuffer buffer, int from, int to) {
        if (buffer.hasArray()) {
            int start = buffer.arrayOffset();
            Arrays.fill(buffer.array(), start + from, start + to, (byte) 0);
        }
    }

    @Override
    public Runnable getDelegatedTask() {
        return engine.getDelegatedTask();
    }

    @Override
    public void closeInbound() throws SSLException {
        engine.closeInbound();
    }

    @Override
    public boolean isInboundDone() {
        return engine.isInboundDone();
    }

    @Override
    public void closeOutbound() {
        engine.closeOutbound();
    }

    @Override
    public boolean isOutboundDone() {
        return engine.isOutboundDone();
    }

    @Override
    public String[] getSupportedCipherSuites() {
        return engine.getSupportedCipherSuites();
    }

    @Override
    public String[] getEnabledCipherSuites() {
        return engine.getEnabledCipherSuites();
    }

    @Override
    public void setEnabledCipherSuites(String[] suites) {
        engine.setEnabledCipherSuites(suites);
    }

    @Override
    public String[] getSupportedProtocols() {
        return engine.getSupportedProtocols();
    }

    @Override
    public String[] getEnabledProtocols() {
        return engine.getEnabledProtocols();
    }

    @Override
    public void setEnabledProtocols(String[] protocols) {
        engine.setEnabledProtocols(protocols);
    }

    @Override
    public SSLSession getSession() {
        return engine.getSession();
    }

    @Override
    public SSLSession getHandshakeSession() {
        return engine.getHandshakeSession();
    }

    @Override
    public void beginHandshake() throws SSLException {
        engine.beginHandshake();
    }

    @Override
    public SSLEngineResult.HandshakeStatus getHandshakeStatus() {
        return engine.getHandshakeStatus();
    }

    @Override
    public void setUseClientMode(boolean mode) {
        engine.setUseClientMode(mode);
    }

    @Override
    public boolean getUseClientMode() {
        return engine.getUseClientMode();
    }

    @Override
    public void setNeedClientAuth(boolean need) {
        engine.setNeedClientAuth(need);
    }

    @Override
    public boolean getNeedClientAuth() {
        return engine.getNeedClientAuth();
    }

    @Override
    public void setWantClientAuth(boolean want) {
        engine.setWantClientAuth(want);
    }

    @Override
    public boolean getWantClientAuth() {
        return engine.getWantClientAuth();
    }

    @Override
    public void setEnableSessionCreation(boolean flag) {
        engine.setEnableSessionCreation(flag);
    }

    @Override
    public boolean getEnableSessionCreation() {
        return engine.getEnableSessionCreation();
    }

    @Override
    public SSLParameters getSSLParameters() {
        return engine.getSSLParameters();
    }

    @Override
    public void setSSLParameters(SSLParameters parameters) {
        engine.setSSLParameters(parameters);
    }

    @Override
    public String getApplicationProtocol() {
        return engine.getApplicationProtocol();
    }

    @Override
    public String getHandshakeApplicationProtocol() {
        return engine.getHandshakeApplicationProtocol();
    }

    @Override
    public BiFunction<SSLEngine, List<String>, String> getHandshakeApplicationProtocolSelector() {
        return engine.getHandshakeApplicationProtocolSelector();
    }

    @Override
    public void setHandshakeApplicationProtocolSelector(BiFunction<SSLEngine, List<String>, String> selector) {
        engine.setHandshakeApplicationProtocolSelector(selector);
    }
}
