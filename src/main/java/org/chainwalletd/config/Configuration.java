package org.chainwalletd.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Settings with their origins.
 *
 * @param origins source of each option's value, such as {@code flag --bind} or {@code default}
 * @param file configuration file that was read
 * @param warnings for the operator: values that are allowed but possibly unintended
 */
public record Configuration(
        Settings settings, Map<Option, String> origins, Optional<Path> file, List<String> warnings) {}
