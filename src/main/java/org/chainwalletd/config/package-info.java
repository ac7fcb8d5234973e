/**
 * Configuration: the immutable {@link org.chainwalletd.config.Settings} record, read once: flag over environment over file over default, validated in
 * one place. Every package may read it; it knows only {@code chain}.
 */
package org.chainwalletd.config;
