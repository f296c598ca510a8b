import com.amazonaws.services.dynamodbv2.local.server.LocalDynamoDBRequestHandler;
import com.amazonaws.services.dynamodbv2.local.server.LocalDynamoDBServerHandler;
import java.net.InetSocketAddress;
import org.eclipse.jetty.server.Server;

/** DynamoDB Local in memory, on a port of loopback. Its own command listens on all interfaces. */
public class LoopbackServer {
  public static void main(String[] arguments) throws Exception {
    var requests = new LocalDynamoDBRequestHandler(0, true, null, false, false);
    var server = new Server(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])));
    server.setHandler(new LocalDynamoDBServerHandler(requests, "*"));
    server.start();
  }
}
