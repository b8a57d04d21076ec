package dev.nodepath.agent;

import java.util.List;

/** The commands of this module, but for those that tell of all. */
final class AgentCommands implements CommandProvider {
    @Override
    public List<String> names() {
        return List.of("agent", "proxy", "render", "trace", "cleanup", "cni-server");
    }

    @Override
    public Object command(String name) {
        return switch (name) {
            case "agent" -> new AgentCommand();
            case "proxy" -> new ProxyCommand();
            case "render" -> new RenderCommand();
            case "trace" -> new TraceCommand();
            case "cleanup" -> new CleanupCommand();
            case "cni-server" -> new CniServerCommand();
            default -> throw new IllegalArgumentException(name);
        };
    }
}
