/**
 * Configuration: the immutable {@link org.chainwalletd.config.Settings} record, read once (flag over environment over file over default) and
 * validated in one place. Every package may read it; it depends only on {@code chain}.
 */
package org.chainwalletd.config;
