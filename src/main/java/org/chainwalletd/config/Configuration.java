package org.chainwalletd.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Settings, and how they came about.
 *
 * @param origins where each option's value comes from, such as {@code flag --bind} or {@code default}
 * @param file the configuration file that was read
 * @param warnings for the operator's eyes: what is allowed and perhaps not meant
 */
public record Configuration(
        Settings settings, Map<Option, String> origins, Optional<Path> file, List<String> warnings) {}
