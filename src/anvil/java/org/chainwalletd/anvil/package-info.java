/**
 * Tests against a real {@code anvil}, which the profile of the same name fetches from npm: a virtual machine that runs the committed
 * bytecode. They are compiled and run in that profile only.
 */
package org.chainwalletd.anvil;
