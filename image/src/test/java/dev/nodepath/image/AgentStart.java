package dev.nodepath.image;

import java.util.List;

/**
 * The possible differences between two starts of an agent; all else is as in the manifest.
 *
 * @param image the image's name
 * @param mode the proxy mode
 * @param arguments after those of the manifest
 * @param capabilities all capabilities of the container
 */
record AgentStart(String image, String mode, List<String> arguments, List<String> capabilities) {
    AgentStart {
        arguments = List.copyOf(arguments);
        capabilities = List.copyOf(capabilities);
    }

    AgentStart withImage(String name) {
        return new AgentStart(name, mode, arguments, capabilities);
    }

    AgentStart withMode(String name) {
        return new AgentStart(image, name, arguments, capabilities);
    }

    AgentStart withArguments(String... more) {
        return new AgentStart(image, mode, List.of(more), capabilities);
    }

    /** The same without this capability. */
    AgentStart without(String capability) {
        return new AgentStart(
                image,
                mode,
                arguments,
                capabilities.stream().filter(one -> !one.equals(capability)).toList());
    }
}
