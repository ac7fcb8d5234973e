package org.chainwalletd.client;

import java.util.Optional;

/**
 * One event of an {@code GET /events}.
 *
 * @param kind {@code tip}, {@code credit}, {@code resync} …
 * @param data JSON
 * @param id what to come back with, when the event has one
 */
public record DaemonEvent(String kind, String data, Optional<String> id) {}
